// SPDX-License-Identifier: GPL-2.0-only
/* Assigns each program of a list to a row of the counts. */
#include <errno.h>
#include <string.h>

#include "util/count/prog/prog-list.h"
#include "util/count/prog/prog-refs.h"
#include "util/count/subjects.h"
#include "util/machine/bpf/bpf-prog.h"

static uint64_t own_refs(const struct prog_list *list, uint32_t id)
{
	uint64_t refs = 0;

	for (int i = 0; i < list->nr; i++)
		if (list->entries[i].target.prog->id == id)
			refs += prog_target__refs(&list->entries[i].target);
	return refs;
}

void prog_list__note_gone(struct prog_list *list, struct prog_refs *refs)
{
	if (!refs || prog_refs__read(refs))
		return;
	for (int i = 0; i < list->nr; i++) {
		uint32_t id = list->entries[i].target.prog->id;

		list->entries[i].gone = prog_refs__of(refs, id) <= own_refs(list, id);
	}
}

static bool row_is_live(const struct prog_list *list, int row)
{
	for (int i = 0; i < list->nr; i++)
		if (list->entries[i].row == row && !list->entries[i].gone)
			return true;
	return false;
}

/*
 * Finds a row for @prog among the rows of its name whose programs are gone: preferably the row that
 * @prog had before, otherwise the first row of a program that was loaded earlier. Returns the row,
 * or -1.
 */
static int find_row(const struct prog_list *list, const struct subjects *progs,
		    const struct bpf_prog *prog)
{
	int found = -1, per_prog = subjects__cgroups(progs);

	for (int row = 0; row < progs->nr / per_prog; row++) {
		const struct subject *first = &progs->list[row * per_prog];

		if (strcmp(first->name, prog->name) != 0 || row_is_live(list, row))
			continue;
		if (first->id == prog->id)
			return row;
		if (found < 0 && first->id < prog->id)
			found = row;
	}
	return found;
}

bool prog_list__is_waiting(const struct prog_list *list, const struct subjects *progs)
{
	for (int i = 0; progs && i < list->nr; i++) {
		if (list->entries[i].row >= 0)
			continue;
		for (int subject = 0; subject < progs->nr; subject++)
			if (!strcmp(progs->list[subject].name, list->entries[i].target.prog->name))
				return true;
	}
	return false;
}

/* The subjects of a row show the id of the program that is counted in it. */
static void note_id(struct subjects *progs, int row, uint32_t id)
{
	int per_prog = subjects__cgroups(progs);

	for (int i = 0; i < per_prog; i++)
		progs->list[row * per_prog + i].id = id;
}

int prog_list__settle_rows(struct prog_list *list, struct subjects *progs, bool gone)
{
	for (int i = 0; i < list->nr; i++) {
		struct prog_entry *entry = &list->entries[i];
		const struct bpf_prog *prog = entry->target.prog;

		if (entry->row >= 0 || (gone && !entry->gone))
			continue;
		entry->row = progs ? find_row(list, progs, prog) : 0;
		if (entry->row < 0)
			entry->row = subjects__add_prog(progs, prog->name, prog->id);
		if (entry->row < 0)
			return -ENOMEM;
		if (progs)
			note_id(progs, entry->row, prog->id);
	}
	return 0;
}
