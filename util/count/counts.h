/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of an event: a table of readings with rows for CPUs and columns for subjects. Subjects
 * are the threads, BPF programs, scopes or cgroups that are counted separately (subjects.h). If the
 * session counts tasks, but not separately, a backend may have a column for each task, and the
 * report adds up these columns. Backends store running totals with counts__set(). The report reads
 * the totals, or the differences since the last counts__mark().
 */
#ifndef PSTAT_COUNT_COUNTS_H
#define PSTAT_COUNT_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct cpumap;
struct evsel;

/*
 * A reading of an event, with the same values as read(2) on a perf fd: the count, the time in ns
 * for which the event was enabled, and the time in ns for which the event had a counter.
 */
struct reading {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* Adds @more to @sum. */
void reading__add(struct reading *sum, const struct reading *more);

/*
 * Whether a BPF program reads the event's counter at context switches, so that several sessions can
 * share the counter.
 */
enum counts_sharing {
	SHARING_NONE,	/* no BPF program reads the counter */
	SHARING_JOINED, /* shared; another session opened the counter */
	SHARING_MADE,	/* shared; this session opened the counter */
	SHARING_FAILED, /* a BPF program reads the counter, but only for this session */
};

/*
 * A table of readings [row][column]. Unless there is a single row for all CPUs, an event usually
 * has a row for each CPU of the target (backend_group.cpus in backend.h). Some PMUs count on fewer
 * CPUs, for example on one CPU of each package, or on one kind of core. The events of such a PMU
 * have rows only for these CPUs.
 */
struct counts {
	const struct evsel *evsel;
	/*
	 * the CPU id of each row; {-1}: a single row for all CPUs; empty if the PMU counts on no
	 * CPU of backend_group.cpus
	 */
	const struct cpumap *cpus;
	/*
	 * NULL if there is a single row for all CPUs, or a row for each CPU of backend_group.cpus.
	 * Otherwise, the CPUs that have a row; owned by this struct, and the same map as `cpus`
	 */
	struct cpumap *own_cpus;
	/* with own_cpus: for each index in backend_group.cpus, the row of the CPU, or -1 */
	int *row_of;
	/* the number of subjects or tasks that have their own columns; 1 if there are none */
	int nr_columns;
	/*
	 * 0, or the -errno with which opening the event failed; -ECANCELED: another event of the
	 * perf group could not be opened
	 */
	int open_err;
	/*
	 * for each column, 0 or the -errno with which opening the event for the column's subject
	 * failed; NULL if `open_err` applies to all columns
	 */
	int *column_errs;
	/* bits of enum left_out (evsel.h): what the event does not count, such as the kernel */
	unsigned char left_out;
	/*
	 * the report must not scale the counts up to the enabled time, because the kernel removed
	 * the event at an exec (exec-loss.h)
	 */
	bool no_scale;
	/* set when the event is opened; counts__reset() keeps this member */
	enum counts_sharing sharing;
	char *why_not_shared;  /* the reason for SHARING_FAILED, or NULL */
	char *why_not;	       /* the reason for open_err, or NULL */
	struct reading *total; /* the running totals */
	struct reading *mark;  /* the totals at the last counts__mark() */
};

/*
 * Make a table of zeros. @cpus is usually backend_group.cpus, and must outlive the table.
 * counts__new() makes a row for each entry of @cpus. counts__new_on() omits the CPUs that are not
 * in @own, unless @own is NULL or @cpus is {-1}. Both functions return NULL if there is not enough
 * memory.
 */
struct counts *counts__new(const struct evsel *evsel, const struct cpumap *cpus, int nr_columns);
struct counts *counts__new_on(const struct evsel *evsel, const struct cpumap *cpus,
			      const struct cpumap *own, int nr_columns);
void counts__free(struct counts *counts);

/* Returns whether the event has a row for CPU @cpu_id, which must be in backend_group.cpus. */
bool counts__is_on(const struct counts *counts, int cpu_id);

/* Adds columns of zeros until the table has @nr_columns columns. Returns 0 or -ENOMEM. */
int counts__widen(struct counts *counts, int nr_columns);

/*
 * Sets the totals and marks in a column to zero. Called when another subject takes over the column.
 */
void counts__zero_column(struct counts *counts, int column);

/*
 * Prepares for another repetition: sets all counts to zero, and clears `open_err`, `column_errs`,
 * `left_out` and `no_scale`. Keeps the number of columns.
 */
void counts__reset(struct counts *counts);

/*
 * Marks the event as unsupported in all columns. @err is the -errno with which opening failed. If
 * @err is 0, marks the event as supported instead. Copies @why, which is the reason or NULL.
 */
void counts__set_unsupported(struct counts *counts, int err, const char *why);

/*
 * Stores whether the counter is shared. Copies @why: the reason if @sharing is SHARING_FAILED,
 * otherwise NULL.
 */
void counts__set_sharing(struct counts *counts, enum counts_sharing sharing, const char *why);

/*
 * Marks the event as unsupported in one column. If all columns are unsupported, sets `open_err` to
 * the error of the first column. Copies @why only for column 0. Returns 0 or -ENOMEM.
 */
int counts__set_column_unsupported(struct counts *counts, int column, int err, const char *why);

/* Returns 0, or the -errno with which opening the event for the subject of @column failed. */
int counts__err(const struct counts *counts, int column);

/*
 * Sets the running total of a CPU and a column. @cpu_idx is the CPU's index in backend_group.cpus.
 * Does nothing if the event has no row for this CPU.
 */
void counts__set(struct counts *counts, int cpu_idx, int column, const struct reading *total);
/*
 * Like counts__set(), but keeps the previous value if the new value is smaller. Used for totals
 * from which the estimated cost of counting has been subtracted: such a total can decrease, and the
 * count of an interval would then be negative.
 */
void counts__set_rising(struct counts *counts, int cpu_idx, int column,
			const struct reading *total);

/* Sets the running total of a row and a column. @row is an index in counts->cpus. */
void counts__set_row(struct counts *counts, int row, int column, const struct reading *total);

/* Makes counts__delta() start from zero. Called at the end of each interval. */
void counts__mark(struct counts *counts);

struct reading counts__total(const struct counts *counts, int row, int column);
/*
 * Returns the difference between the total and the mark. If the event's value is not a running
 * total (evsel.snapshot), the result contains the current value, and only the times are
 * differences.
 */
struct reading counts__delta(const struct counts *counts, int row, int column);

#endif
