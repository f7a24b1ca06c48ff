/* SPDX-License-Identifier: GPL-2.0-only */
/* The result of `pstat why` for one event. */
#ifndef PSTAT_BUILTIN_WHY_ROW_H
#define PSTAT_BUILTIN_WHY_ROW_H

#include <stdbool.h>

#include "util/count/why/why-search.h"
#include "util/report/branch-row.h"
#include "util/report/column.h"

struct strbuf;

/* A change to the event, or a pair of changes, that makes it possible to open the event. */
struct why_row_fix {
	const char *words; /* the end of the sentence "it opens …" */
};

/*
 * If the event can be opened, all texts except `name` and `pmu` are NULL. Otherwise, unknown texts
 * are NULL.
 */
struct why_row {
	const char *name;
	const char *pmu; /* NULL unless another event has the same name but a different PMU */
	bool opens;
	/* the event opens only for user space: this user is not allowed to count in the kernel */
	bool user_only;
	const char *error;    /* "EINVAL" */
	const char *where;    /* "for task 12", "on CPU 3" */
	const char *function; /* the kernel function that returned the error */
	const char *callers;  /* the callers of `function`, separated by commas */
	/* the functions that returned ENOENT because the event does not belong to their PMU */
	const char *asked;
	const char *cause, *remedy;
	struct branch_rows branches; /* the last branches before the refusal */
	int nr_fixes;
	struct why_row_fix fixes[WHY_FIXES_MAX];
};

extern const struct column why_row_columns[];

/* Adds the row as a paragraph. */
void why_row__add_text(const struct why_row *row, struct strbuf *sb);

#endif
