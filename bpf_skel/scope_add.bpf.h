/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds a run that has ended (scope.h) to the totals and the histogram of one row of the report.
 * With --outliers, also compares one count of the run, the word at SCOPE_PARAM_OUTLIER_AT, with a
 * threshold. If the count is above it, sends a record to user space, unless the rate limit or a
 * full buffer prevents this:
 *
 *	count - cost ──► above? ──► passed ──► within the rate? ──► record ──► user space
 *	                                            │                └► no room: lost
 *	                                            └► suppressed
 *
 * The thread can lose its CPU at any time. So all additions are atomic, and the record is built in
 * the state of the thread (struct scope_task), not in per-CPU memory.
 */
#ifndef PSTAT_SCOPE_ADD_BPF_H
#define PSTAT_SCOPE_ADD_BPF_H

#include "branches.bpf.h"
#include "hist_buckets.bpf.h"
#include "outliers.bpf.h"
#include "prog_filter.bpf.h"
#include "scope_read.bpf.h"

/* user space sets these variables before load; subprograms use them (scope_params.bpf.h) */
/* --inclusive: the counts of a run include the runs inside it */
const volatile __u32 inclusive = 0;
const volatile __u32 per_thread = 0; /* each thread in the map `tasks` has a row in the report */
/* size of a record in bytes, including the data that follows struct scope_outlier */
const volatile __u32 outlier_size = 0;
const volatile __u32 wall_word = 0; /* index of the wall time in a reading */

/*
 * The index of a row that is not printed. With --inclusive, a run inside another run of the same
 * row is added to the spare row instead of its own row. If such a run were added to no row,
 * counting it would cost less than counting other inner runs, but pstat subtracts the same cost
 * from the outer run for each inner run.
 */
const volatile __u32 spare_row = 0;

/*
 * The cost of counting: hist_cost is subtracted from a value before the value is added to a
 * histogram, and outlier_cost before a value is compared with a threshold.
 */
struct scope_cost hist_cost = {};
struct scope_cost outlier_cost = {};

/*
 * Row of the report × nr_sets + set → struct scope_totals. The histogram of a row is in the first
 * set of the row. BPF programs write the map, and user space reads it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scope_totals));
	__uint(max_entries, 1);
} totals SEC(".maps");

/*
 * Key, in the map `totals`, of a row's first set → lowest value that is above the row's threshold;
 * 0: no value is above it. User space can write the map at any time, and BPF programs read it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1);
} thresholds SEC(".maps");

/* 0 → struct scope_outlier_sums. BPF programs write the map, and user space reads it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scope_outlier_sums));
	__uint(max_entries, 1);
} outlier_sums SEC(".maps");

/* Records of individual runs (struct scope_outlier), for user space. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} outlier_ring SEC(".maps");

/*
 * A run that has ended. The reading at its end is in the row `now` of the thread (SCOPE_PAIR_NOW).
 * With --inclusive, no counts are added to the run's row `inner` (SCOPE_PAIR_RUN()). The programs
 * subtract this row anyway: it can contain corrections (more_own in scope_rare.bpf.h), and testing
 * for --inclusive would cost as much as the subtraction.
 */
struct ended {
	struct scope_task *t;
	const struct scope_run *run;
	const void *start; /* the pair of rows of the run */
	bool nested;
};

/*
 * @start is the pair of rows of a run. Returns this run's count for the word at the byte offset
 * @offset in the pair.
 */
static __always_inline __u64 count_of(const struct scope_task *t, const void *start, __u64 offset)
{
	return WORD_AT((void *)t + offset, NOW_AT) - WORD_AT(start + offset, 0) -
	       WORD_AT(start + offset, sizeof(__u64));
}

/* ---- totals ---- */

static __always_inline void add_numbers(struct scope_totals *total, const struct scope_run *run,
					bool nested)
{
	__sync_fetch_and_add(&total->runs, 1);
	if (run->inner)
		__sync_fetch_and_add(&total->inner, run->inner);
	if (nested)
		__sync_fetch_and_add(&total->nested, 1);
}

/* Adds a run with any number of words. */
static __noinline int add_many(struct scope_totals *total, const struct ended *ended)
{
	__u64 *sums = (void *)(total + 1);

	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		__sync_fetch_and_add(&sums[i], count_of(ended->t, ended->start, IN_PAIR(i)));
	add_numbers(total, ended->run, ended->nested);
	return 0;
}

/* Adds the run's count for the word @i. The number @i must be a constant. */
#define ADD_WORD(i)                                                                         \
	do {                                                                                \
		__u64 count = WORD_AT(t, NOW_AT + IN_PAIR(i));                              \
                                                                                            \
		count -= WORD_AT(start, IN_PAIR(i));                                        \
		count -= WORD_AT(start, IN_PAIR(i) + sizeof(__u64));                        \
		__sync_fetch_and_add(&WORD_AT(total, sizeof(*total) + (i) * sizeof(__u64)), \
				     count);                                                \
	} while (0)

/* Adds a run with up to SCOPE_UNROLLED words. */
static __always_inline void add_to(struct scope_totals *total, struct scope_task *t,
				   const struct scope_run *run, const void *start, bool nested)
{
	switch (PARAM(WORDS)) {
	default:
		ADD_WORD(7);
		/* fallthrough */
	case 7:
		ADD_WORD(6);
		/* fallthrough */
	case 6:
		ADD_WORD(5);
		/* fallthrough */
	case 5:
		ADD_WORD(4);
		/* fallthrough */
	case 4:
		ADD_WORD(3);
		/* fallthrough */
	case 3:
		ADD_WORD(2);
		/* fallthrough */
	case 2:
		ADD_WORD(1);
		/* fallthrough */
	case 1:
		ADD_WORD(0);
		/* fallthrough */
	case 0:
		break;
	}
	add_numbers(total, run, nested);
}

/*
 * Adds the run to each set in its bit mask `groups`, or to the only set if there are no cgroups.
 * @total is the first set of the row, and @first is the key of this set.
 */
static __noinline int add_to_sets(const struct ended *ended, struct scope_totals *total,
				  __u32 first)
{
	if (!nr_cgroups)
		return add_many(total, ended);
	__sync_fetch_and_add(&total->added, 1);
	for (__u32 i = 0; i < PROG_MAX_CGROUPS && i < nr_sets; i++) {
		__u32 key = first + i;
		struct scope_totals *set;

		if (!(ended->run->groups >> i & 1))
			continue;
		set = bpf_map_lookup_elem(&totals, &key);
		if (!set)
			continue;
		add_many(set, ended);
	}
	return 0;
}

/* ---- individual runs ---- */

/*
 * Copies the CPU's most recently recorded branches into the space for the record. Called at the end
 * of each run, before the program knows whether the run needs a record.
 */
static __always_inline void take_branches(struct scope_task *t)
{
	void *branches = t + 1;

	ADD_PARAM(branches, RECORD_AT);
	ADD_PARAM(branches, ROW);
	branches_take(branches + sizeof(struct scope_outlier));
}

static __always_inline __u64 without_cost(__u64 value, const struct scope_cost *cost, __u32 inner,
					  bool nested)
{
	__u64 all = cost->own + inner * cost->inner + (nested ? cost->nested : 0);

	/* the cost comes from medians, so it can be higher than the value; the result is then 0 */
	return (__s64)value > (__s64)all ? value - all : 0;
}

/*
 * How many times add_to_hist() tries to store a new maximum. An attempt fails only if another
 * thread gets the CPU during the attempt and changes the maximum.
 */
#define HIST_MAX_TRIES 3

static __always_inline void add_to_hist(struct scope_totals *total, __u64 value)
{
	void *buckets = total + 1;
	__u32 bucket = bucket_of(value);

	ADD_PARAM(buckets, ROW);
	if (bucket < PROG_HIST_BUCKETS)
		__sync_fetch_and_add(&((__u64 *)buckets)[bucket], 1);
	/*
	 * if another thread gets the CPU during this loop and stores a larger maximum, this thread
	 * must not overwrite it
	 */
	for (__u32 try = 0; try < HIST_MAX_TRIES; try++) {
		__u64 max = total->hist_max;

		if (value <= max ||
		    __sync_val_compare_and_swap(&total->hist_max, max, value) == max)
			break;
	}
}

static __noinline int stream_run(const struct ended *ended)
{
	/* the space for the record follows the rows of the thread */
	struct scope_outlier *record = (void *)pair(ended->t, SCOPE_ROWS(depth) / 2);
	__u64 *counts = (void *)(record + 1), wall = IN_PAIR(wall_word);
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
	record->begin = WORD_AT(ended->start + wall, 0);
	record->end = WORD_AT((void *)ended->t + wall, NOW_AT);
	record->scope = SCOPE_COOKIE_SCOPE(ended->run->place);
	record->inner = ended->run->inner;
	record->nested = ended->nested;
	record->cpu = bpf_get_smp_processor_id();
	name_task(&record->pid, &record->tid, record->comm);
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		counts[i] = count_of(ended->t, ended->start, IN_PAIR(i));
	if (bpf_ringbuf_output(&outlier_ring, record, outlier_size, 0))
		__sync_fetch_and_add(&sums->lost, 1);
	return 0;
}

static __always_inline bool is_above(__u64 value, __u32 key)
{
	__u64 *above = bpf_map_lookup_elem(&thresholds, &key);

	return above && *above && value >= *above;
}

/* ---- adding a run ---- */

/*
 * Returns the key, in the map `totals`, of the first set of @run's row. With --per-thread, the row
 * is the sum of the cookie's row and t->row, at least one of which is 0. Normally, all cookies have
 * row 0. While pstat measures the cost of counting, t->row of pstat's thread is 0.
 */
static __noinline __u32 other_row_of(const struct scope_task *t, const struct scope_run *run)
{
	__u32 nr = SCOPE_COOKIE_ROW(run->place) + (per_thread ? t->row : 0);

	if (inclusive && run->covered)
		nr = spare_row;
	return nr_cgroups ? nr * nr_sets : nr;
}

/*
 * Adds the run @nr of @t, which has ended, to the totals. Except when it sends a record, this
 * function executes nearly the same instructions for each run, so that the measured cost is valid
 * for all runs.
 */
static __always_inline void add_run(struct scope_task *t, struct scope_run *run, __u64 nr)
{
	const void *start = pair_of(t, nr);
	__u64 of_hist = 0, of_outlier = 0;
	struct scope_totals *total;
	__u32 key = SCOPE_COOKIE_ROW(run->place);

	if (HAS(OTHER_ROW))
		key = other_row_of(t, run);
	total = bpf_map_lookup_elem(&totals, &key);
	if (!total)
		return;
	if (HAS(FEW_SUMS)) {
		add_to(total, t, run, start, nr != 0);
	} else {
		const struct ended ended = { t, run, start, nr != 0 };

		add_to_sets(&ended, total, key);
	}
	if (!HAS(SINGLE))
		return;
	ADD_PARAM(of_hist, HIST_AT);
	if (HAS(HIST))
		add_to_hist(total, without_cost(count_of(t, start, of_hist), &hist_cost, run->inner,
						nr != 0));
	ADD_PARAM(of_outlier, OUTLIER_AT);
	if (HAS(OUTLIERS) && is_above(without_cost(count_of(t, start, of_outlier), &outlier_cost,
						   run->inner, nr != 0),
				      key)) {
		const struct ended ended = { t, run, start, nr != 0 };

		stream_run(&ended);
	}
}

#endif
