/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes individual runs (--outliers) from the kernel's buffers to the sink of a group. The backend
 * knows its buffers and the layout of its records.
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

/* A zero-initialized struct can be passed to outlier_stream__end(). */
struct outlier_stream {
	const struct backend_group *group;
	uint64_t branch_code; /* see branch_events__open_all(); 0: no branches are recorded */
	struct branch_events branches;
	int *words; /* for each count, the index of its word in a record */
	struct outlier_count *counts;
	int nr_counts;
	struct outlier_sums before; /* the sums of the previous repetitions */
	uint64_t streamed;
	uint64_t dropped; /* runs that arrived as invalid records */
	uint64_t missing; /* runs that had not arrived at the last report */
};

/*
 * Begins a stream without counts for @group, which must outlive it. Records branches unless
 * @branch_code is 0. Returns 0 or -ENOMEM. In both cases, call outlier_stream__end().
 */
int outlier_stream__begin(struct outlier_stream *stream, const struct backend_group *group,
			  uint64_t branch_code);
void outlier_stream__end(struct outlier_stream *stream);
/* Also records the branches of a CPU that came online. Returns 0 or -ENOMEM. */
int outlier_stream__add_cpu(struct outlier_stream *stream, int cpu);

/*
 * Adds a count to each run: the event @evsel, or the time of the run if @evsel is NULL. @word is
 * the index of the count in a record. Does nothing if this word was added before. @clock: the word
 * is in ns. There is room for each event of the group and for the time.
 */
void outlier_stream__add_count(struct outlier_stream *stream, const struct evsel *evsel, int word,
			       bool clock);

/*
 * Passes @run to the sink. The caller has stored the readings of the run in stream->counts. If
 * branches are recorded, decodes them from @block. Returns the result of the sink.
 */
int outlier_stream__pass(struct outlier_stream *stream, struct outlier *run,
			 const struct branch_block *block);

/* Converts @ns of CLOCK_MONOTONIC to the time since the start, or to 0 if it is earlier. */
uint64_t outlier_stream__time(const struct outlier_stream *stream, uint64_t ns);

/* If @err is not 0, stores the message that runs could not be read. Returns @err. */
int outlier_stream__read_error(const struct outlier_stream *stream, int err);

/*
 * Returns the size in bytes of a buffer for @nr records of @record bytes: a power of two from 64
 * KiB to 4 MiB.
 */
size_t outlier_stream__buffer_size(size_t nr, size_t record);

/* What BPF programs count on each CPU. The values of their maps begin with this struct. */
struct outlier_tally {
	uint64_t passed, suppressed, lost;
};

/*
 * Call this when no more runs can exceed the threshold. Calls @drain, which passes on the runs that
 * have arrived, until no run is missing or 0.1 s has passed. Before each call, reads the number of
 * runs from entry 0 of the per-CPU map @tally_fd, whose values have @value_size bytes. Warns about
 * missing runs. Stores the sums of all repetitions in group->runs. Returns 0, or -errno with the
 * reason in group->why.
 */
int outlier_stream__finish(struct outlier_stream *stream, int tally_fd, size_t value_size,
			   int (*drain)(void *ctx), void *ctx);

#endif
