/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The single runs of --outliers on their way from the kernel's buffers to the sink of a group. The
 * backend knows its buffers and the layout of its records.
 *
 *	begin ──► add_count, for each event ──► pass, run by run ──► finish ──► end
 */
#ifndef PSTAT_COUNT_OUTLIER_STREAM_H
#define PSTAT_COUNT_OUTLIER_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/count/outliers.h"
#include "util/count/share/branch-events.h"

struct backend_group;
struct branch_block;
struct evsel;

/* A zeroed struct can be ended. */
struct outlier_stream {
	const struct backend_group *group;
	uint64_t branch_code; /* see branch_events__open_all(); 0: no branches are recorded */
	struct branch_events branches;
	int *words; /* [count]: the index of its word in a row */
	struct outlier_count *counts;
	int nr_counts;
	struct outlier_sums before; /* the sums of the previous repetitions */
	uint64_t streamed;
	uint64_t dropped; /* arrived, but were not valid records */
	uint64_t missing; /* had not arrived when this was last reported */
};

/*
 * Begins a stream without counts for @group, which must outlive it, and records branches unless
 * @branch_code is 0. Returns 0 or -ENOMEM; in both cases, call outlier_stream__end().
 */
int outlier_stream__begin(struct outlier_stream *stream, const struct backend_group *group,
			  uint64_t branch_code);
void outlier_stream__end(struct outlier_stream *stream);
/* Also records the branches of a CPU that came online. Returns 0 or -ENOMEM. */
int outlier_stream__add_cpu(struct outlier_stream *stream, int cpu);

/*
 * Adds the count of @evsel, which is @word of a row. Does nothing if this word was added before.
 * There is room for a word for each event of the group, and one for the time of a run that is not
 * an event (@evsel is NULL). @clock: the word is in ns.
 */
void outlier_stream__add_count(struct outlier_stream *stream, const struct evsel *evsel, int word,
			       bool clock);

/*
 * Passes @run to the sink, with the readings that the caller has stored in the counts of the
 * stream, and with the branches in @block if branches are recorded. Returns the sink's result.
 */
int outlier_stream__pass(struct outlier_stream *stream, struct outlier *run,
			 const struct branch_block *block);

/* Converts @ns of CLOCK_MONOTONIC to the time since the start; 0 if it is earlier. */
uint64_t outlier_stream__time(const struct outlier_stream *stream, uint64_t ns);

/* Stores the reason @err, if it is not 0, for which runs could not be read. Returns @err. */
int outlier_stream__read_error(const struct outlier_stream *stream, int err);

/*
 * Returns the size in bytes of a buffer for @nr records of @record bytes: a power of two, within
 * fixed limits.
 */
size_t outlier_stream__buffer_size(size_t nr, size_t record);

/* What BPF programs count on each CPU. The values of their maps begin with it. */
struct outlier_tally {
	uint64_t passed, suppressed, lost;
};

/*
 * Call this when no more runs can pass. Reads entry 0 of the per-CPU map @tally_fd, whose values
 * have @value_size bytes, and after that lets @drain pass on the runs that have arrived. Does so
 * until all runs have arrived, or a tenth of a second has passed, and warns about runs that are
 * missing. Stores the sums of all repetitions in the runs of the group. Returns 0, or -errno with
 * the reason in group->why.
 */
int outlier_stream__finish(struct outlier_stream *stream, int tally_fd, size_t value_size,
			   int (*drain)(void *ctx), void *ctx);

#endif
