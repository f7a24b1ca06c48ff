/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds a run that has ended to the totals of its row, to the histogram, and, if its count is above
 * the threshold of its row, to the stream of single runs (--outliers).
 *
 *	count - cost ──► above? ──► passed ──► within the rate? ──► record ──► user space
 *	                                             │                └► no room: lost
 *	                                             └► suppressed
 *
 * A thread can lose its CPU in the middle, so all additions are atomic, and the record is built in
 * the state of the thread.
 */
#ifndef PSTAT_SCOPE_ADD_BPF_H
#define PSTAT_SCOPE_ADD_BPF_H

#include "branches.bpf.h"
#include "hist_buckets.bpf.h"
#include "outliers.bpf.h"
#include "prog_filter.bpf.h"
#include "scope_read.bpf.h"

/* set before load */
const volatile __u32 hist = 0;	    /* there are histograms */
const volatile __u64 hist_word = 0; /* offset in a row of the value for histograms, in bytes */
/* --inclusive: the counts of a run include the runs inside it */
const volatile __u32 inclusive = 0;
/*
 * With `inclusive`, a run inside another run of the same row is added to this row, which is not
 * printed. It then costs the outer run as much as a run that is counted.
 */
const volatile __u32 spare_row = 0;
/* size of a record in bytes, including its words; 0: there is no threshold */
const volatile __u32 outlier_size = 0;
/* offset in a row of the value that is compared with the threshold, in bytes */
const volatile __u64 outlier_word = 0;

/*
 * The cost of counting. It is subtracted from the values of histograms and from values that are
 * compared with thresholds.
 */
struct scope_cost hist_cost = {};
struct scope_cost outlier_cost = {};

/*
 * Row of the report × nr_sets + set → struct scope_totals. BPF writes it, and user space reads it.
 * The histogram of a row is in its first set.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scope_totals));
	__uint(max_entries, 1);
} totals SEC(".maps");

/*
 * Row of the report → the lowest value that passes, which is the threshold plus one; 0: no run
 * passes. User space may write it at any time, and BPF reads it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1);
} thresholds SEC(".maps");

/* 0 → struct scope_outlier_sums. BPF writes it, and user space reads it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scope_outlier_sums));
	__uint(max_entries, 1);
} outlier_sums SEC(".maps");

/* Records of single runs: struct scope_outlier and a row of words. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} outlier_ring SEC(".maps");

/* The rows from which the counts of a run are computed. */
struct run_rows {
	const __u64 *start, *end;
	const __u64 *inner; /* the counts of the runs inside it */
};

/* With `inclusive`, the row `inner` stays 0: a test would cost as much as the subtraction. */
static __always_inline __u64 count_of(const struct run_rows *rows, __u64 offset)
{
	return *(const __u64 *)((const void *)rows->end + offset) -
	       *(const __u64 *)((const void *)rows->start + offset) -
	       *(const __u64 *)((const void *)rows->inner + offset);
}

/* ---- totals ---- */

static __always_inline void add_to(struct scope_totals *total, const struct scope_run *run,
				   const struct run_rows *rows, bool nested)
{
	__u64 *sums = (void *)(total + 1);
	__u32 words = shape.words;

#pragma unroll
	for (__u32 i = 0; i < SCOPE_UNROLLED; i++)
		if (i < words)
			__sync_fetch_and_add(&sums[i], count_of(rows, i * sizeof(__u64)));
	for (__u32 i = SCOPE_UNROLLED; i < SCOPE_MAX_WORDS && i < words; i++)
		__sync_fetch_and_add(&sums[i], count_of(rows, i * sizeof(__u64)));
	__sync_fetch_and_add(&total->runs, 1);
	if (run->inner)
		__sync_fetch_and_add(&total->inner, run->inner);
	if (nested)
		__sync_fetch_and_add(&total->nested, 1);
}

/* Adds the run to the set of each cgroup in which it began. */
static __noinline int add_to_sets(const struct scope_run *run, const struct run_rows *rows,
				  __u32 row_nr, bool nested)
{
	for (__u32 i = 0; i < PROG_MAX_CGROUPS && i < nr_sets; i++) {
		__u32 key = row_nr * nr_sets + i;
		struct scope_totals *total;

		if (!(run->groups >> i & 1))
			continue;
		total = bpf_map_lookup_elem(&totals, &key);
		if (total)
			add_to(total, run, rows, nested);
	}
	return 0;
}

/* ---- single runs ---- */

/* The room for the record of a run is after the rows of a thread's state. */
static __always_inline struct scope_outlier *record_of(struct scope_task *t)
{
	return (void *)row(t, SCOPE_ROWS(depth));
}

/*
 * Stores the branches in the room for the record, at the end of each run. It is not known yet
 * whether the run is above the threshold.
 */
static __always_inline void take_branches(struct scope_task *t)
{
	branches_take((void *)(record_of(t) + 1) + row_size);
}

static __always_inline __u64 without_cost(__u64 value, const struct scope_cost *cost, __u32 inner,
					  bool nested)
{
	__u64 all = cost->own + inner * cost->inner + (nested ? cost->nested : 0);

	/* The cost is an average, so a run can have cost less. The result is then 0. */
	return (__s64)value > (__s64)all ? value - all : 0;
}

static __always_inline void add_to_hist(struct scope_totals *total, __u64 value)
{
	__u64 *buckets = (void *)(total + 1) + row_size;
	__u32 bucket = bucket_of(value);

	if (bucket < PROG_HIST_BUCKETS)
		__sync_fetch_and_add(&buckets[bucket], 1);
	if (value > total->hist_max)
		total->hist_max = value;
}

static __noinline int stream_run(struct scope_task *t, const struct scope_run *run,
				 const struct run_rows *rows, bool nested)
{
	struct scope_outlier *record = record_of(t);
	__u64 *words = (void *)(record + 1);
	struct scope_outlier_sums *sums;
	__u32 key = 0;

	sums = bpf_map_lookup_elem(&outlier_sums, &key);
	if (!sums)
		return 0;
	__sync_fetch_and_add(&sums->passed, 1);
	if (!is_within_rate(bpf_ktime_get_ns())) {
		__sync_fetch_and_add(&sums->suppressed, 1);
		return 0;
	}
	/* the wall time is the first word */
	record->begin = rows->start[0];
	record->end = rows->end[0];
	record->scope = SCOPE_COOKIE_SCOPE(run->place);
	record->inner = run->inner;
	record->nested = nested;
	record->cpu = bpf_get_smp_processor_id();
	name_task(&record->pid, &record->tid, record->comm);
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		words[i] = count_of(rows, i * sizeof(__u64));
	if (bpf_ringbuf_output(&outlier_ring, record, outlier_size, 0))
		__sync_fetch_and_add(&sums->lost, 1);
	return 0;
}

static __always_inline bool is_above(__u64 value, __u32 row_nr)
{
	__u64 *above = bpf_map_lookup_elem(&thresholds, &row_nr);

	return above && *above && value >= *above;
}

/* ---- */

/*
 * Adds the run @nr of @t to the totals. @above: the lowest run in progress above it, or 0. From the
 * beginning of that run on, the counts belong to that run, except with `inclusive`. Each run
 * executes the same instructions, so that calibration measures the cost.
 */
static __always_inline void add_run(struct scope_task *t, __u32 nr, __u32 above, __u32 row_nr)
{
	const __u64 *start = row(t, SCOPE_ROW_START(nr));
	const struct scope_run *run = &t->runs[nr];
	const struct run_rows rows = {
		.start = start,
		.end = above && !inclusive ? row(t, SCOPE_ROW_START(above & (depth - 1))) :
					     now_of(t),
		/* the row SCOPE_ROW_INNER is the next one */
		.inner = (const void *)start + row_size,
	};
	__u32 cgroups = nr_cgroups, key = cgroups ? row_nr * nr_sets : row_nr;
	struct scope_totals *total = bpf_map_lookup_elem(&totals, &key);

	if (!total)
		return;
	/* use a copy, because taking the address of `rows` would force it out of registers */
	if (cgroups) {
		const struct run_rows copy = rows;

		__sync_fetch_and_add(&total->added, 1);
		add_to_sets(run, &copy, row_nr, nr != 0);
	} else {
		add_to(total, run, &rows, nr != 0);
	}
	if (hist)
		add_to_hist(total, without_cost(count_of(&rows, hist_word), &hist_cost, run->inner,
						nr != 0));
	if (outlier_size && is_above(without_cost(count_of(&rows, outlier_word), &outlier_cost,
						  run->inner, nr != 0),
				     row_nr)) {
		const struct run_rows copy = rows;

		stream_run(t, run, &copy, nr != 0);
	}
}

#endif
