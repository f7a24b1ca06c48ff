// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/why/why-row.h"

#include "util/base/strbuf.h"
#include "util/report/column.h"

static const void *nth_fix(const void *row, int nr)
{
	const struct why_row *why = row;

	return nr < why->nr_fixes ? &why->fixes[nr] : NULL;
}

static const void *nth_branch(const void *row, int nr)
{
	const struct why_row *why = row;

	return nr < why->branches.nr ? &why->branches.list[nr] : NULL;
}

static bool has_branches(const void *row)
{
	return ((const struct why_row *)row)->branches.nr;
}

static bool is_user_only(const void *row)
{
	return ((const struct why_row *)row)->user_only;
}

static const struct column fix_columns[] = {
	COLUMN(IN_JSON, NULL, struct why_row_fix, words),
	{ 0 },
};

#define WHY(key, member, ...) COLUMN(IN_JSON, key, struct why_row, member, __VA_ARGS__)

const struct column why_row_columns[] = {
	WHY("event", name),
	WHY("pmu", pmu, .optional = true),
	WHY("opens", opens),
	WHY("user_only", user_only, .has = is_user_only),
	WHY("error", error, .optional = true),
	WHY("where", where, .optional = true),
	WHY("function", function, .optional = true),
	WHY("callers", callers, .optional = true),
	WHY("asked", asked, .optional = true),
	COLUMN_BY(IN_JSON, "branches", COLUMN_LIST, .item = nth_branch, .items = branch_row_columns,
		  .has = has_branches),
	WHY("cause", cause, .optional = true),
	WHY("remedy", remedy, .optional = true),
	COLUMN_BY(IN_JSON, "opens_with", COLUMN_LIST, .item = nth_fix, .items = fix_columns),
	{ 0 },
};

static void add_line(struct strbuf *sb, const char *label, const char *text)
{
	if (text)
		strbuf__addf(sb, "  %-12s %s\n", label, text);
}

void why_row__add_text(const struct why_row *row, struct strbuf *sb)
{
	strbuf__adds(sb, row->name);
	if (row->pmu)
		strbuf__addf(sb, " (%s)", row->pmu);
	if (row->opens) {
		strbuf__addf(sb, ": opens%s\n",
			     row->user_only ? " in user space only, because "
					      "kernel.perf_event_paranoid does not let this user "
					      "count the kernel" :
					      "");
		return;
	}
	if (row->error)
		strbuf__addf(sb, ": refused %s (%s)\n", row->where, row->error);
	else
		strbuf__adds(sb, ": cannot be opened\n");
	for (int i = 0; i < row->nr_fixes; i++)
		add_line(sb, i ? "" : "it opens", row->fixes[i].words);
	add_line(sb, "refused by", row->function);
	add_line(sb, "called by", row->callers);
	add_line(sb, "asked", row->asked);
	for (int i = 0; i < row->branches.nr; i++) {
		strbuf__addf(sb, "  %-12s ", i ? "" : "branches");
		branch_row__add_text(&row->branches.list[i], sb);
		strbuf__addc(sb, '\n');
	}
	add_line(sb, "cause", row->cause ?: "pstat cannot tell");
	add_line(sb, "what to do", row->remedy);
}
