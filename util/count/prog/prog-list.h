/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs that -b counts. The functions find the programs that the selectors (the arguments of
 * -b) match, and add programs that are loaded later (--follow). Each program is assigned to a row
 * of the counts.
 */
#ifndef PSTAT_COUNT_PROG_LIST_H
#define PSTAT_COUNT_PROG_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/prog/prog-pending.h"
#include "util/count/prog/prog-stats.h"
#include "util/count/prog/prog-target.h"

struct prog_refs;
struct strbuf;
struct subjects;
struct prog_selection;

struct prog_entry {
	struct prog_target target;
	/*
	 * found by a pattern: no error if it cannot be counted, and no warning if it does not run
	 */
	bool by_pattern;
	bool gone;     /* only pstat still refers to the program, so it will not run again */
	bool was_gone; /* `gone` was already true at the previous check */
	int row;       /* the program's row in the counts; -1: not known yet */
};

/* An empty list is all zero, except for `selection` and `why`. */
struct prog_list {
	struct strbuf *why; /* where the functions below store the reason for an error */
	const struct prog_selection *selection;
	bool unchecked; /* do not check whether programs can be counted */
	int nr;
	struct prog_entry *entries;
	int room; /* number of entries for which the limit on open files is high enough */
	/* the limit on open files cannot be raised any more, and pstat has warned */
	bool is_full;
	uint32_t last_id; /* programs up to this id have been checked */
	int left_out;	  /* number of programs that match a pattern but cannot be counted */
	int replaced;	  /* number of programs that match a pattern but are replaced (freplace) */
	char *left_out_why;	     /* the reason for the first program that was left out */
	struct prog_pending pending; /* programs that match a pattern but must not be touched yet */

	/* the programs for which pstat may use the kernel's statistics */
	enum prog_stats_use stats;
	const char *why_no_stats;	  /* the reason why pstat may not use them; NULL: it may */
	struct prog_stats_keeper *keeper; /* NULL: no program has needed the statistics yet */
};

/*
 * Opens the programs of the selection and checks that they can be counted:
 * - A program that the user named must exist and be countable.
 * - A program that only a pattern matches is omitted if it cannot be counted.
 * - Unless @may_be_none, each pattern must match at least one program.
 * If the session permits it, pstat uses the kernel's statistics for programs that cannot be counted
 * otherwise. The function waits for programs that were just loaded (prog-pending.h). Returns 0;
 * -ESTALE if a selector matches no program, or no function of its program; or another -errno. If a
 * signal asked pstat to end, returns -EINTR without a reason.
 */
int prog_list__find(struct prog_list *list, bool may_be_none);

/*
 * Appends programs that match a pattern, were loaded since the last call, and may be touched
 * (prog-pending.h). If the limit on open files is reached, pstat warns, and counts these programs
 * only after others have been unloaded.
 */
int prog_list__find_new(struct prog_list *list);

/* Closes the target of the entry at @place, and removes the entry. */
void prog_list__drop(struct prog_list *list, int place);
void prog_list__free(struct prog_list *list);

/* ---- rows: prog-list-rows.c ---- */

/* Finds out from the reference counts which entries are gone. Does nothing if @refs is NULL. */
void prog_list__note_gone(struct prog_list *list, struct prog_refs *refs);

/*
 * Returns whether an entry without a row has the same name as a row. Its row then depends on
 * whether the older program is gone.
 */
bool prog_list__is_waiting(const struct prog_list *list, const struct subjects *progs);

/*
 * Assigns a row to each entry that has none: the row of a program with the same name that is gone,
 * or a new row. If @progs is NULL, all programs use row 0. @gone: handles only entries that are
 * gone. Returns 0 or -ENOMEM.
 */
int prog_list__assign_rows(struct prog_list *list, struct subjects *progs, bool gone);

/* ---- programs that the kernel's statistics count: prog-list-rows.c ---- */

/*
 * Handles events that the statistics do not have. If fentry counts at least one program, such an
 * event would be counted in only some of the programs. So a program that needs the statistics is
 * omitted if a pattern matches it, and refused if the user named it. Returns 0 or -EOPNOTSUPP.
 */
int prog_list__check_stats(struct prog_list *list);
/* Returns true if the list is not empty, and the kernel's statistics count all entries. */
bool prog_list__is_by_stats(const struct prog_list *list);
/* Warns once if the kernel's statistics count any program. */
void prog_list__report_stats(const struct prog_list *list);

#endif
