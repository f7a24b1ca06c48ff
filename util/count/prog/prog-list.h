/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs that -b counts: found by the words for them, added to while it counts (--follow), each with its place among the
 * rows of the counts.
 */
#ifndef PSTAT_COUNT_PROG_LIST_H
#define PSTAT_COUNT_PROG_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/prog/prog-settle.h"
#include "util/count/prog/prog-stats.h"
#include "util/count/prog/prog-target.h"

struct prog_refs;
struct prog_rows;
struct prog_selection;

struct prog_entry {
	struct prog_target target;
	bool by_pattern; /* it was found, not named: it may fail, or not run, without a word */
	bool gone;	 /* nobody but pstat holds it any more: it will not run again */
	bool was_gone;	 /* … already when that was looked at before */
	int row;	 /* its counts' place; -1: not known yet */
};

/* All zero, but for the selection, is empty. */
struct prog_list {
	const struct prog_selection *selection;
	bool unchecked; /* it does not matter whether fentry can be attached to them */
	int nr;
	struct prog_entry *entries;
	int room;	  /* so many entries may have their files open */
	bool is_full;	  /* no more may, and that has been said */
	uint32_t last_id; /* programs up to this id have been looked at */
	int left_out;	  /* programs that a pattern means, and that cannot be counted here */
	int replaced;	  /* programs that a pattern means, and that do not run, as another one replaces them */
	char *why;	  /* that is so of the first of them */
	struct prog_settle settle; /* programs that a pattern means, and that are left alone for now */

	enum prog_stats_use stats;	  /* for which programs the kernel's statistics may stand in */
	const char *why_no_stats;	  /* what stands against it; NULL: nothing */
	struct prog_stats_keeper *keeper; /* NULL: for none so far */
};

/*
 * Opens all programs that the selection means, and makes sure that they can be counted. One that is named has to be there and to be
 * countable; of those that a pattern means, the others are left out, and those that were just loaded are waited for (prog-settle.h).
 * Where the kernel's statistics may stand in, a program that cannot be counted otherwise is counted by them. Unless @may_be_none every word has to mean one at least.
 * 0; -ESTALE where a word means no program, or no function of it; another -errno. All are told, but for -ENOMEM, and -EINTR when
 * a signal asked pstat to end.
 */
int prog_list__find(struct prog_list *list, bool may_be_none);

/*
 * Opens those that have been loaded since, and have settled, and that a pattern means: they stand at the end. Where there are no files for more, they are
 * told of and waited with until others have gone. 0 or -errno, told, but for -ENOMEM.
 */
int prog_list__find_new(struct prog_list *list);

/* Drops the entry at @place; those behind it move up. */
void prog_list__drop(struct prog_list *list, int place);
void prog_list__free(struct prog_list *list);

/* Notes of each entry whether it is gone, by the references that there are now. @refs may be NULL: nothing is known then. */
void prog_list__note_gone(struct prog_list *list, struct prog_refs *refs);

/* Is there an entry without a row whose name a row has? Then it matters which programs are gone. */
bool prog_list__is_waiting(const struct prog_list *list, const struct prog_rows *rows);

/*
 * Gives each entry without a row its own: that in which an older program of its name was counted, if none is any more, or a new
 * one.
 * With @rows NULL all are added up in row 0. @gone: only those that are gone themselves. 0 or -ENOMEM.
 */
int prog_list__settle_rows(struct prog_list *list, struct prog_rows *rows, bool gone);

/* The rest is prog-list-stats.c: programs that the kernel's statistics count. */

/*
 * An event that the statistics do not have would be counted in some of the programs only, if fentry can be attached to any. Then a pattern's
 * programs that are counted by the statistics are left out, and one that was named is refused: 0 or -EOPNOTSUPP, told.
 */
int prog_list__settle_stats(struct prog_list *list);
/* Are there entries, and is each of them counted by the kernel's statistics? */
bool prog_list__is_by_stats(const struct prog_list *list);
/* Warns once that programs are counted so, if any are. */
void prog_list__tell_stats(const struct prog_list *list);

#endif
