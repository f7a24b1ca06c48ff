/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs that -b counts. Finds them by the selectors, adds programs that are loaded while
 * pstat counts (--follow), and assigns each program to a row of the counts.
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
	/* found by a pattern: pstat does not report it if it cannot be counted or does not run */
	bool by_pattern;
	bool gone;     /* only pstat still refers to the program, so it will not run again */
	bool was_gone; /* `gone` was already true at the previous check */
	int row;       /* its row of the counts; -1: not known yet */
};

/* An empty list is all zero, except for the selection and `why`. */
struct prog_list {
	struct strbuf *why; /* where the functions below store the reason for an error */
	const struct prog_selection *selection;
	bool unchecked; /* do not check whether fentry can be attached to the programs */
	int nr;
	struct prog_entry *entries;
	int room;	  /* number of entries that may have open files */
	bool is_full;	  /* the limit on open files is reached, and pstat has warned */
	uint32_t last_id; /* programs up to this id have been checked */
	/* the number of programs that match a pattern but cannot be counted here */
	int left_out;
	/*
	 * the number of programs that match a pattern but do not run, because they are replaced
	 * (freplace)
	 */
	int replaced;
	char *left_out_why;	     /* the reason for the first program that was left out */
	struct prog_pending pending; /* programs that match a pattern but may not be touched yet */

	/* the programs for which pstat may use the kernel's statistics */
	enum prog_stats_use stats;
	const char *why_no_stats;	  /* the reason why pstat may not use them; NULL: it may */
	struct prog_stats_keeper *keeper; /* NULL: no program has needed the statistics so far */
};

/*
 * Opens all programs of the selection and checks that they can be counted. A program that the user
 * named must exist and be countable. A program that only a pattern matches is omitted if it cannot
 * be counted. The function waits for programs that were just loaded (prog-pending.h). If the
 * session permits the kernel's statistics, pstat uses them for programs that cannot be counted
 * otherwise. Unless @may_be_none, each word of the selection must match at least one program.
 * Returns 0; -ESTALE if a word matches no program, or no function of the program; or another
 * -errno. -EINTR has no reason if a signal asked pstat to end.
 */
int prog_list__find(struct prog_list *list, bool may_be_none);

/*
 * Finds programs that match a pattern, were loaded since the last call, and may be touched
 * (prog-pending.h). Appends them to the list. If there are not enough file descriptors, pstat
 * warns, and counts such programs after others were unloaded.
 */
int prog_list__find_new(struct prog_list *list);

/* Removes the entry at @place from the list. */
void prog_list__drop(struct prog_list *list, int place);
void prog_list__free(struct prog_list *list);

/* ---- rows: prog-list-rows.c ---- */

/* Finds out from the reference counts which entries are gone. If @refs is NULL, this is unknown. */
void prog_list__note_gone(struct prog_list *list, struct prog_refs *refs);

/*
 * Returns whether there is an entry without a row whose name has a row already. If so, it matters
 * whether the older program is gone.
 */
bool prog_list__is_waiting(const struct prog_list *list, const struct subjects *progs);

/*
 * Assigns a row to each entry that has none: the row of an older program of the same name that is
 * no longer used, or a new row. If @progs is NULL, all programs use row 0. @gone: only handles
 * entries that are gone. Returns 0 or -ENOMEM.
 */
int prog_list__assign_rows(struct prog_list *list, struct subjects *progs, bool gone);

/* ---- programs that the kernel's statistics count: prog-list-rows.c ---- */

/*
 * Handles events that the statistics do not provide. If fentry can be attached to at least one
 * program, such an event would be counted in only some of the programs. So programs that match a
 * pattern and need the statistics are omitted, and a program that the user named is refused.
 * Returns 0 or -EOPNOTSUPP.
 */
int prog_list__check_stats(struct prog_list *list);
/* Returns true if the list is not empty and the kernel's statistics count every entry. */
bool prog_list__is_by_stats(const struct prog_list *list);
/* Warns once if the kernel's statistics count any program. */
void prog_list__report_stats(const struct prog_list *list);

#endif
