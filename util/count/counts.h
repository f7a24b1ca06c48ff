/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of an event: one reading for each CPU and subject (subjects.h). If pstat counts tasks
 * and none of them is a subject, there is a reading for each task, and the report adds them up.
 * Backends write running totals with counts__set(). The report reads either the totals since the
 * enable or the differences since the last counts__mark().
 */
#ifndef PSTAT_COUNT_COUNTS_H
#define PSTAT_COUNT_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct cpumap;
struct evsel;

/*
 * As in read(2): the count, and the ns for which the event was enabled and for which it had a
 * counter.
 */
struct reading {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* Adds @more to @sum. */
void reading__add(struct reading *sum, const struct reading *more);

/* Whether BPF reads the event's counter, and whether other sessions can use this counter, too. */
enum counts_sharing {
	SHARING_NONE,	/* BPF does not read it at context switches */
	SHARING_JOINED, /* shared, and another session made it */
	SHARING_MADE,	/* shared, and this session made it */
	SHARING_FAILED, /* not shared */
};

/*
 * A table of readings [row][column]. Usually an event has a row for each CPU of its backend
 * group. The events of some PMUs are counted on other CPUs only: one CPU of each package, or the
 * CPUs with one kind of core. Their counts have rows for these CPUs only, so a loop over `cpus`
 * visits exactly the CPUs of the event.
 */
struct counts {
	const struct evsel *evsel;
	/* the CPU id of each row; {-1} for tasks followed wherever they run; may be empty */
	const struct cpumap *cpus;
	struct cpumap *own_cpus; /* `cpus`, if they are not those of the group; else NULL */
	int *row_of; /* with own_cpus: the row of each CPU of the group by its index, or -1 */
	/* the number of subjects or tasks; 1 if there are neither */
	int nr_columns;
	/*
	 * 0, or the -errno for which the event is not open; -ECANCELED: another event of its
	 * group is not
	 */
	int open_err;
	/* [column]: open_err, if the event is open for some subjects only; else NULL */
	int *column_errs;
	/* bits of enum left_out: the parts of the event that are not counted */
	unsigned char left_out;
	/*
	 * the time that was not counted says nothing about the rest, so counts are not scaled: see
	 * exec-loss.h
	 */
	bool no_scale;
	/* as of the last open; kept by counts__reset() */
	enum counts_sharing sharing;
	char *why_not_shared;  /* with SHARING_FAILED: the reason in words, or NULL */
	char *why_not;	       /* with open_err: the reason in words, NULL when there are none */
	struct reading *total; /* since enable */
	struct reading *mark;  /* totals at the last counts__mark() */
};

/*
 * Makes an empty table with a row for each CPU of the backend group @cpus, which must outlive it.
 * If @own is not NULL, there are rows only for CPUs that are also in @own, unless the group follows
 * tasks wherever they run. Both return NULL if there is no memory.
 */
struct counts *counts__new(const struct evsel *evsel, const struct cpumap *cpus, int nr_columns);
struct counts *counts__new_on(const struct evsel *evsel, const struct cpumap *cpus,
			      const struct cpumap *own, int nr_columns);
void counts__free(struct counts *counts);

/* Is the event counted on CPU @cpu_id, given that its backend group counts there? */
bool counts__is_on(const struct counts *counts, int cpu_id);

/* Adds columns, which start at zero. Returns 0 or -ENOMEM. */
int counts__widen(struct counts *counts, int nr_columns);

/* Sets a column to zero for a new subject. */
void counts__zero_column(struct counts *counts, int column);

/* Sets all counts to zero for another repetition, and keeps the number of columns. */
void counts__reset(struct counts *counts);

/* Marks the event as not countable. @err is a negative errno, @why a reason (copied) or NULL. */
void counts__set_unsupported(struct counts *counts, int err, const char *why);

/* Stores whether the counter is shared. @why is the reason why it is not (copied), or NULL. */
void counts__set_sharing(struct counts *counts, enum counts_sharing sharing, const char *why);

/*
 * Like counts__set_unsupported(), for one column. If the event cannot be counted in any column,
 * open_err is that of the first one. Returns 0 or -ENOMEM.
 */
int counts__set_column_unsupported(struct counts *counts, int column, int err, const char *why);

/* Returns 0, or the -errno for which the event is not open for the subject of @column. */
static inline int counts__err(const struct counts *counts, int column)
{
	return counts->column_errs ? counts->column_errs[column] : counts->open_err;
}

/*
 * Sets the running total of one CPU, given by its index in the backend group, and one column. The
 * call has no effect if the event is not counted on that CPU.
 */
void counts__set(struct counts *counts, int cpu_idx, int column, const struct reading *total);
/*
 * Like counts__set(), for a total from which an estimate was subtracted. If the total is less than
 * before, it stays unchanged, because no interval may have a negative count.
 */
void counts__set_rising(struct counts *counts, int cpu_idx, int column,
			const struct reading *total);

/* Sets the running total of one row and column. @row is the CPU's index in `cpus`. */
void counts__set_row(struct counts *counts, int row, int column, const struct reading *total);

/* Makes counts__delta() count from zero, at the end of an interval or the start of the count. */
void counts__mark(struct counts *counts);

struct reading counts__total(const struct counts *counts, int row, int column);
/* total - mark, or the present value of a snapshot event. */
struct reading counts__delta(const struct counts *counts, int row, int column);

#endif
