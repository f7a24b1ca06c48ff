// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assigns programs to rows of the report, and handles programs that the kernel's statistics count.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
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
 * Returns the index of an existing row that @prog can use, or -1 if there is none. The row must
 * have the name of @prog, and its current program must be gone. Prefers a row that already has the
 * id of @prog; otherwise, chooses the first row whose program was loaded earlier than @prog.
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

/* Stores the id of the row's new program in the subjects (struct subject) of the row. */
static void note_id(struct subjects *progs, int row, uint32_t id)
{
	int per_prog = subjects__cgroups(progs);

	for (int i = 0; i < per_prog; i++)
		progs->list[row * per_prog + i].id = id;
}

int prog_list__assign_rows(struct prog_list *list, struct subjects *progs, bool gone)
{
	for (int i = 0; i < list->nr; i++) {
		struct prog_entry *entry = &list->entries[i];
		const struct bpf_prog *prog = entry->target.prog;

		if (entry->row >= 0 || (gone && !entry->gone))
			continue;
		entry->row = progs ? find_row(list, progs, prog) : 0;
		if (entry->row < 0)
			entry->row = subjects__add_parts(progs, prog->name, prog->id);
		if (entry->row < 0)
			return -ENOMEM;
		if (progs)
			note_id(progs, entry->row, prog->id);
	}
	return 0;
}

bool prog_list__is_by_stats(const struct prog_list *list)
{
	for (int i = 0; i < list->nr; i++)
		if (!list->entries[i].target.stats)
			return false;
	return list->nr;
}

void prog_list__report_stats(const struct prog_list *list)
{
	static bool reported; /* static: with -r, each repetition has its own list */
	const struct prog_target *first = NULL;
	int nr = 0;

	for (int i = 0; i < list->nr && !reported; i++) {
		const struct prog_target *target = &list->entries[i].target;

		nr += target->stats != NULL;
		first = first ?: target->stats ? target : NULL;
	}
	if (!first)
		return;
	reported = true;
	pr_warn("-b: %d program%s with the kernel's own statistics, which have only the number and "
		"the time of runs\n"
		"program %u (%s): %s\n"
		"these statistics delay each run of every BPF program on this machine while pstat "
		"counts",
		nr, nr > 1 ? "s are counted" : " is counted", first->prog->id, first->prog->name,
		prog_stats__why(first->stats));
}

static int refuse_mixture(const struct prog_list *list, const struct prog_target *target)
{
	return reason__set(list->why, -EOPNOTSUPP,
			   "-b %u (%s): %s\n"
			   "count only run_cnt, task-clock and cpu-clock, which the kernel's "
			   "statistics have, or count this program without the others",
			   target->prog->id, target->prog->name, prog_stats__why(target->stats));
}

int prog_list__check_stats(struct prog_list *list)
{
	if (list->stats != PROG_STATS_ALONE || prog_list__is_by_stats(list))
		return 0;
	for (int i = list->nr - 1; i >= 0; i--) {
		const struct prog_target *target = &list->entries[i].target;

		if (!target->stats)
			continue;
		if (!list->entries[i].by_pattern)
			return refuse_mixture(list, target);
		pr_info("-b: program %u (%s) is left out: %s", target->prog->id, target->prog->name,
			prog_stats__why(target->stats));
		list->left_out++;
		prog_list__drop(list, i);
	}
	list->stats = list->nr ? PROG_STATS_NEVER : list->stats;
	return 0;
}
