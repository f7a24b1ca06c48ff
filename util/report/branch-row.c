// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/branch-row.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/branches.h"
#include "util/report/branch-names.h"

/* The arguments of branch_names__add() that are the same for all branches of a list. */
struct place {
	struct branch_names *names;
	pid_t pid;
	uint32_t prog_id;
};

/* Returns a copy of the text of @sb, or NULL if memory ran out. Frees @sb in both cases. */
static char *take_text(struct strbuf *sb)
{
	char *text = strbuf__failed(sb) ? NULL : strdup(sb->text);

	strbuf__free(sb);
	return text;
}

static int name_end(const struct place *place, uint64_t address, char **function, char **line)
{
	struct strbuf function_sb = STRBUF_INIT, line_sb = STRBUF_INIT;
	int err = branch_names__add(place->names, address, place->pid, place->prog_id, &function_sb,
				    &line_sb);

	*function = take_text(&function_sb);
	*line = take_text(&line_sb);
	return err ?: *function && *line ? 0 : -ENOMEM;
}

int branch_rows__make(struct branch_rows *rows, const struct branch *list, int nr,
		      struct branch_names *names, pid_t pid, uint32_t prog_id)
{
	const struct place place = { .names = names, .pid = pid, .prog_id = prog_id };
	int err = 0;

	*rows = (struct branch_rows){ .list = calloc((size_t)nr + 1, sizeof(*rows->list)) };
	if (!rows->list)
		return -ENOMEM;
	for (int i = 0; !err && i < nr; i++) {
		struct branch_row *row = &rows->list[rows->nr++];

		row->mispredicted = list[i].mispredicted;
		row->cycles = list[i].cycles;
		err = name_end(&place, list[i].from, &row->from, &row->from_line);
		err = err ?: name_end(&place, list[i].to, &row->to, &row->to_line);
	}
	return err;
}

void branch_rows__free(struct branch_rows *rows)
{
	for (int i = 0; i < rows->nr; i++) {
		free(rows->list[i].from);
		free(rows->list[i].from_line);
		free(rows->list[i].to);
		free(rows->list[i].to_line);
	}
	free(rows->list);
	*rows = (struct branch_rows){ 0 };
}

/* ---- columns and text ---- */

static bool is_mispredicted(const void *row)
{
	return ((const struct branch_row *)row)->mispredicted;
}

#define BRANCH(outputs, key, member, ...) \
	COLUMN(outputs, key, struct branch_row, member, __VA_ARGS__)

const struct column branch_row_columns[] = {
	BRANCH(IN_DATA, "from", from),
	BRANCH(IN_CSV, NULL, from_line),
	BRANCH(IN_JSON, "from-line", from_line, .optional = true),
	BRANCH(IN_DATA, "to", to),
	BRANCH(IN_CSV, NULL, to_line),
	BRANCH(IN_JSON, "to-line", to_line, .optional = true),
	BRANCH(IN_JSON, "mispredicted", mispredicted, .has = is_mispredicted),
	BRANCH(IN_JSON, "cycles", cycles, .optional = true),
	{ 0 },
};

static void add_end(struct strbuf *sb, const char *place, const char *line)
{
	strbuf__add_clean(sb, place);
	if (!*line)
		return;
	strbuf__adds(sb, " (");
	strbuf__add_clean(sb, line);
	strbuf__addc(sb, ')');
}

void branch_row__add_text(const struct branch_row *row, struct strbuf *sb)
{
	add_end(sb, row->from, row->from_line);
	strbuf__adds(sb, " -> ");
	add_end(sb, row->to, row->to_line);
	if (row->cycles)
		strbuf__addf(sb, ", after %" PRIu32 " cycles", row->cycles);
	if (row->mispredicted)
		strbuf__adds(sb, ", mispredicted");
}
