/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of BPF programs that -b counts. The functions below find the programs that the selectors
 * (the parts of the argument of -b) match. With --follow, they also find matching programs that are
 * loaded later. Each program is assigned to a row, which is the part of the report for one program,
 * or for all programs together. A pattern is a selector that can match several programs, for
 * example name:GLOB.
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
	 * The user did not name the program: only patterns match it. If the program cannot be
	 * counted, it is omitted without an error. If it never runs, pstat warns only if a program
	 * array contains it.
	 */
	bool by_pattern;
	bool gone;     /* only pstat still refers to the program, so it will not run again */
	bool was_gone; /* the value of `gone` before the latest prog_group__retire_the_gone() */
	int row;       /* the program's row in the report; -1: none is assigned yet */
};

/* An empty list is all zero, except for `selection` and `why`. */
struct prog_list {
	struct strbuf *why; /* the reason for an error; owned by the backend group */
	const struct prog_selection *selection;
	bool unchecked; /* do not check whether programs can be counted */
	int nr;
	struct prog_entry *entries;
	int room; /* number of entries for which the limit on open files is high enough */
	/* the limit on open files cannot be raised any more, and pstat has warned about this */
	bool is_full;
	uint32_t last_id; /* pstat has looked at all programs up to this id */
	int left_out;	  /* number of programs that match a pattern but cannot be counted */
	int replaced;	  /* number of programs that match a pattern but are replaced (freplace) */
	char *left_out_why;	     /* why the first omitted program cannot be counted */
	struct prog_pending pending; /* programs that match a pattern but must not be touched yet */

	/* says for which programs pstat may use the kernel's statistics */
	enum prog_stats_use stats;
	/* the reason that prog_stats__use() gives for PROG_STATS_NEVER, otherwise NULL */
	const char *why_no_stats;
	struct prog_stats_keeper *keeper; /* keeps the statistics enabled; NULL: not started */
};

/*
 * Opens the programs of the selection and checks that they can be counted:
 * - A program that the user named must exist and be countable.
 * - Any other program, which only patterns match, is omitted if it cannot be counted.
 * - Unless @may_be_none, each pattern must match at least one program, and at least one program
 *   must be countable.
 * If fentry cannot count a program but the kernel's statistics can, pstat uses the statistics for
 * this program, provided that list->stats permits it. The function waits until programs that were
 * just loaded may be touched (prog-pending.h). Returns 0; -ESTALE if a selector matches no program,
 * or names a function that its program does not have; -EINTR if a signal asked pstat to end; or
 * another -errno. On all errors except -EINTR and -ENOMEM, stores the reason in list->why.
 */
int prog_list__find(struct prog_list *list, bool may_be_none);

/*
 * With --follow: appends new programs that match a pattern and may be touched (prog-pending.h). If
 * the limit on open files is reached, pstat warns, and does not add more programs until other
 * programs have been unloaded.
 */
int prog_list__find_new(struct prog_list *list);

/* Closes the target of the entry with the index @place, and removes the entry. */
void prog_list__drop(struct prog_list *list, int place);
void prog_list__free(struct prog_list *list);

/* ---- rows: prog-list-rows.c ---- */

/*
 * Sets `gone` of each entry, using the reference counts @refs. Does nothing if @refs is NULL or
 * cannot be read.
 */
void prog_list__note_gone(struct prog_list *list, struct prog_refs *refs);

/*
 * Returns whether any entry without a row has a program with the same name as an existing row. Such
 * an entry can use the existing row, but only if the program of the row is gone.
 */
bool prog_list__is_waiting(const struct prog_list *list, const struct subjects *progs);

/*
 * Assigns a row to each entry that has none: the row of a program that has the same name and is
 * gone, or a new row in @progs. If @progs is NULL, all programs use row 0. If @gone is set, handles
 * only entries whose programs are gone. Returns 0 or -ENOMEM.
 */
int prog_list__assign_rows(struct prog_list *list, struct subjects *progs, bool gone);

/* ---- programs that the kernel's statistics count: prog-list-rows.c ---- */

/*
 * Handles sessions with events that the kernel's statistics do not contain (PROG_STATS_ALONE). If
 * fentry counted some programs and the statistics counted others, such an event would be counted in
 * only some of the programs. So if fentry counts any program, the statistics are not used, and
 * programs that need the statistics are omitted. If the user named such a program, the function
 * fails. Returns 0, or -EOPNOTSUPP with the reason in list->why.
 */
int prog_list__check_stats(struct prog_list *list);
/* Returns true if the list is not empty, and the kernel's statistics count all entries. */
bool prog_list__is_by_stats(const struct prog_list *list);
/*
 * Warns if the kernel's statistics count any program. Warns only once in the life of the process.
 */
void prog_list__report_stats(const struct prog_list *list);

#endif
