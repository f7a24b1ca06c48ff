/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs that -b counts: finds them by the selectors, adds programs that are loaded while
 * pstat counts (--follow), and assigns each to a row of the counts.
 */
#ifndef PSTAT_COUNT_PROG_LIST_H
#define PSTAT_COUNT_PROG_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/prog/prog-settle.h"
#include "util/count/prog/prog-stats.h"
#include "util/count/prog/prog-target.h"

struct prog_refs;
struct strbuf;
struct subjects;
struct prog_selection;

struct prog_entry {
	struct prog_target target;
	bool by_pattern; /* found by a pattern: may fail or not run without a report */
	bool gone;	 /* only pstat still refers to it, so it will not run again */
	bool was_gone;	 /* `gone` was already true at the previous check */
	int row;	 /* row of its counts; -1: not known yet */
};

/* Empty if everything except the selection and `why` is zero. */
struct prog_list {
	struct strbuf *why; /* where the functions below store the reason of an error */
	const struct prog_selection *selection;
	bool unchecked; /* it does not matter whether fentry can be attached to them */
	int nr;
	struct prog_entry *entries;
	int room;	  /* number of entries that may have open files */
	bool is_full;	  /* the limit is reached, and pstat has warned */
	uint32_t last_id; /* programs up to this id have been checked */
	int left_out;	  /* programs that match a pattern but cannot be counted here */
	/* programs that match a pattern but do not run, because a freplace program replaces them */
	int replaced;
	char *left_out_why;	   /* the reason for the first of them */
	struct prog_settle settle; /* programs that match a pattern but may not be touched yet */

	enum prog_stats_use stats;	  /* programs that may use the kernel's statistics */
	const char *why_no_stats;	  /* why they may not be used; NULL: they may */
	struct prog_stats_keeper *keeper; /* NULL: no program has needed the statistics so far */
};

/*
 * Opens all programs of the selection and checks that they can be counted. A program that the user
 * named must exist and be countable. Programs that match only a pattern are omitted if they cannot
 * be counted, and the function waits for those that were just loaded (prog-settle.h). If the
 * session permits the kernel's statistics, pstat uses them for programs that cannot be counted
 * otherwise. Unless @may_be_none, each word of the selection must match at least one program.
 * Returns 0; -ESTALE if a word matches no program, or no function of the program; or another
 * -errno. -EINTR has no reason if a signal asked pstat to end.
 */
int prog_list__find(struct prog_list *list, bool may_be_none);

/*
 * Opens programs that match a pattern, were loaded since the last call, and have settled. They are
 * appended to the list. If there are not enough file descriptors, pstat warns, and the programs
 * wait until others have gone.
 */
int prog_list__find_new(struct prog_list *list);

/* Removes the entry at @place. Later entries move up. */
void prog_list__drop(struct prog_list *list, int place);
void prog_list__free(struct prog_list *list);

/* ---- rows: prog-list-rows.c ---- */

/*
 * Sets for each entry whether it is gone, from the current reference counts. @refs may be NULL:
 * then nothing is known.
 */
void prog_list__note_gone(struct prog_list *list, struct prog_refs *refs);

/*
 * Returns whether an entry without a row has the name of an existing row. Then it matters which
 * programs are gone.
 */
bool prog_list__is_waiting(const struct prog_list *list, const struct subjects *progs);

/*
 * Gives each entry without a row a row: that of an older program of its name which no program uses
 * any more, or a new one. If @progs is NULL, all programs are added up in row 0. @gone: only
 * handles entries that are gone. Returns 0 or -ENOMEM.
 */
int prog_list__assign_rows(struct prog_list *list, struct subjects *progs, bool gone);

/* ---- programs that the kernel's statistics count: prog-list-rows.c ---- */

/*
 * Handles events that the statistics do not provide. If fentry can be attached to some program,
 * such an event would be counted in some of the programs only. So programs that match a pattern and
 * need the statistics are omitted, and a program that the user named is refused. Returns 0 or
 * -EOPNOTSUPP.
 */
int prog_list__check_stats(struct prog_list *list);
/* Returns true if the list is not empty and the kernel's statistics count every entry. */
bool prog_list__is_by_stats(const struct prog_list *list);
/* Warns once if the kernel's statistics count any program. */
void prog_list__report_stats(const struct prog_list *list);

#endif
