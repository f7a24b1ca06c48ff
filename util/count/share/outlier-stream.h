/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes the runs whose cost exceeds a threshold (--outliers) to the sink, which is the code that
 * prints the runs (struct session_sink). The backend itself reads and decodes the records of the
 * runs, because each backend has its own buffers and its own layout of records.
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
	uint64_t branch_code; /* the @code of branch_events__open_all(); 0: no branches */
	struct branch_events branches;
	int *words; /* for each element of `counts`, the index of its value in a record */
	struct outlier_count *counts;
	int nr_counts;
	struct outlier_sums before; /* the numbers of runs in all earlier repetitions of -r */
	uint64_t streamed;
	uint64_t dropped; /* the number of runs that arrived as invalid records */
	/* how many runs were still unaccounted for when outlier_stream__finish() last returned */
	uint64_t missing;
};

/*
 * Begins a stream for @group, which must outlive the stream. Records branches unless @branch_code
 * is 0. Returns 0 or -ENOMEM. The caller must call outlier_stream__end() even if this function
 * fails.
 */
int outlier_stream__begin(struct outlier_stream *stream, const struct backend_group *group,
			  uint64_t branch_code);
void outlier_stream__end(struct outlier_stream *stream);
/*
 * Call this function when CPU @cpu has come online. If the stream records branches, starts
 * recording branches on this CPU. Returns 0 or -ENOMEM.
 */
int outlier_stream__add_cpu(struct outlier_stream *stream, int cpu);

/*
 * Adds a count to each run that will be passed to the sink: the count of event @evsel, or the time
 * of the run if @evsel is NULL. @word is the index of the count in the array of values in a record.
 * @clock must be true if the count is in ns. Does nothing if a count with this @word has already
 * been added. The stream has room for the time and for one count of each event in the group.
 */
void outlier_stream__add_count(struct outlier_stream *stream, const struct evsel *evsel, int word,
			       bool clock);

/*
 * Passes @run to the sink (group->sink). The caller must first store the counts of the run in
 * stream->counts. If branches are recorded, decodes the branches in @block, and adds them to @run.
 * Returns the result of group->sink->run().
 */
int outlier_stream__pass(struct outlier_stream *stream, struct outlier *run,
			 const struct branch_block *block);

/*
 * Returns the time in ns between the start of the measurement and @ns (CLOCK_MONOTONIC), or 0 if
 * @ns is before the start.
 */
uint64_t outlier_stream__time(const struct outlier_stream *stream, uint64_t ns);

/*
 * If @err is not 0, stores in group->why a message saying that pstat cannot read the streamed runs.
 * Returns @err.
 */
int outlier_stream__read_error(const struct outlier_stream *stream, int err);

/*
 * Returns the size in bytes of a buffer for @nr records of @record bytes each, rounded up to a
 * power of two. The size is at least 64 KiB and at most 4 MiB.
 */
size_t outlier_stream__buffer_size(size_t nr, size_t record);

/*
 * The numbers of runs on one CPU: all runs above the threshold (passed), runs that the rate limit
 * dropped (suppressed), and runs that were dropped for another reason (lost). BPF programs count
 * these runs in a per-CPU map, whose values begin with this struct.
 */
struct outlier_tally {
	uint64_t passed, suppressed, lost;
};

/*
 * Waits for the records of a repetition's last runs. Call this function after counting has stopped.
 * Calls @drain repeatedly, until all runs above the threshold are accounted for (streamed,
 * suppressed or lost, see outliers.h), but for at most about 0.1 s. @drain must call
 * outlier_stream__pass() for each run that has arrived. Reads the numbers of runs (struct
 * outlier_tally) from entry 0 of the per-CPU map @tally_fd, whose values have @value_size bytes.
 * Warns if more runs are unaccounted for than at the previous call. Stores the numbers of runs of
 * all repetitions so far in group->runs->outliers. Returns 0; the error of @drain; or another
 * -errno with the reason in group->why.
 */
int outlier_stream__finish(struct outlier_stream *stream, int tally_fd, size_t value_size,
			   int (*drain)(void *ctx), void *ctx);

#endif
