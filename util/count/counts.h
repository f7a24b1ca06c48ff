/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of an event: one reading for each CPU and subject (subjects.h). If tasks are counted
 * but are not subjects, there is a reading for each task, and the report adds up the readings of
 * all tasks. Backends store running totals with counts__set(). The report reads the totals, or the
 * differences since the last counts__mark().
 */
#ifndef PSTAT_COUNT_COUNTS_H
#define PSTAT_COUNT_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct cpumap;
struct evsel;

/*
 * A reading of an event, in the units of read(2): the count, the time in ns for which the event was
 * enabled, and the time in ns for which the event had a counter.
 */
struct reading {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* Adds @more to @sum. */
void reading__add(struct reading *sum, const struct reading *more);

/*
 * Whether a BPF program reads the event's counter, and whether other sessions can use this counter
 * too.
 */
enum counts_sharing {
	SHARING_NONE,	/* no BPF program reads the counter at context switches */
	SHARING_JOINED, /* shared; another session opened the counter */
	SHARING_MADE,	/* shared; this session opened the counter */
	SHARING_FAILED, /* not shared, because sharing is impossible or failed */
};

/*
 * A table of readings [row][column]. Usually an event has a row for each CPU of its backend's group
 * (backend_group.cpus). Some PMUs count on fewer CPUs: one CPU of each package, or the CPUs with
 * one kind of core. The events of such a PMU have rows only for these CPUs.
 */
struct counts {
	const struct evsel *evsel;
	/* the CPU id of each row; {-1}: a single row for all CPUs; may be empty */
	const struct cpumap *cpus;
	/*
	 * if the event has fewer rows than the group has CPUs: equal to `cpus`, but owned;
	 * otherwise NULL
	 */
	struct cpumap *own_cpus;
	/* with own_cpus: for each index in backend_group.cpus, the row of the CPU, or -1 */
	int *row_of;
	/* the number of subjects or tasks; 1 without subjects and tasks */
	int nr_columns;
	/*
	 * the -errno with which opening the event failed, or 0; -ECANCELED: another event of the
	 * perf group could not be opened
	 */
	int open_err;
	/*
	 * for each column, 0 or the -errno with which opening the event failed for this subject;
	 * NULL if opening failed for no subject, or for all subjects at once
	 */
	int *column_errs;
	/* bits of enum left_out: the parts of the event that are not counted */
	unsigned char left_out;
	/* do not scale the counts up to the enabled time: see exec-loss.h */
	bool no_scale;
	/* determined when the event is opened; counts__reset() does not change this member */
	enum counts_sharing sharing;
	char *why_not_shared;  /* with SHARING_FAILED: the reason as text, or NULL */
	char *why_not;	       /* with open_err: the reason as text, or NULL */
	struct reading *total; /* since enable */
	struct reading *mark;  /* totals at the last counts__mark() */
};

/*
 * Each of the following functions makes a table of zeros. @cpus are the CPUs of the backend's
 * group, and must outlive the table. counts__new() makes a row for each entry of @cpus.
 * counts__new_on() omits the CPUs that are not in @own, unless @own is NULL or @cpus is {-1}.
 * Returns NULL if memory ran out.
 */
struct counts *counts__new(const struct evsel *evsel, const struct cpumap *cpus, int nr_columns);
struct counts *counts__new_on(const struct evsel *evsel, const struct cpumap *cpus,
			      const struct cpumap *own, int nr_columns);
void counts__free(struct counts *counts);

/* Returns whether the event has a row for CPU @cpu_id, which is a CPU of the backend's group. */
bool counts__is_on(const struct counts *counts, int cpu_id);

/* Adds columns of zeros until there are @nr_columns. Returns 0 or -ENOMEM. */
int counts__widen(struct counts *counts, int nr_columns);

/*
 * Sets the totals and marks in a column to zero, because the column now belongs to another subject.
 */
void counts__zero_column(struct counts *counts, int column);

/* Sets all counts to zero for another repetition. Keeps the number of columns. */
void counts__reset(struct counts *counts);

/*
 * Marks the event as unsupported. @err is a negative errno. @why is the reason or NULL, and is
 * copied.
 */
void counts__set_unsupported(struct counts *counts, int err, const char *why);

/*
 * Stores whether the counter is shared. @why is the reason for SHARING_FAILED or NULL, and is
 * copied.
 */
void counts__set_sharing(struct counts *counts, enum counts_sharing sharing, const char *why);

/*
 * Like counts__set_unsupported(), but for one column. If all columns are unsupported, sets open_err
 * to the error of the first column. Returns 0 or -ENOMEM.
 */
int counts__set_column_unsupported(struct counts *counts, int column, int err, const char *why);

/* Returns 0, or the -errno with which opening the event for the subject of @column failed. */
int counts__err(const struct counts *counts, int column);

/*
 * Sets the running total of a CPU and a column. @cpu_idx is the CPU's index in backend_group.cpus.
 * Does nothing if the event has no row for that CPU.
 */
void counts__set(struct counts *counts, int cpu_idx, int column, const struct reading *total);
/*
 * Like counts__set(), for a total from which an estimate was subtracted. If the new value is
 * smaller than the previous value, keeps the previous value, because the count of an interval must
 * not be negative.
 */
void counts__set_rising(struct counts *counts, int cpu_idx, int column,
			const struct reading *total);

/* Sets the running total of a row and a column. @row is an index in counts->cpus. */
void counts__set_row(struct counts *counts, int row, int column, const struct reading *total);

/*
 * Makes counts__delta() start from zero. Called at the start of the count and at the end of an
 * interval.
 */
void counts__mark(struct counts *counts);

struct reading counts__total(const struct counts *counts, int row, int column);
/*
 * Returns the difference between the total and the mark. For a snapshot event, the value is the
 * total.
 */
struct reading counts__delta(const struct counts *counts, int row, int column);

#endif
