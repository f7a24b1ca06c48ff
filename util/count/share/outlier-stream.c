// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/outlier-stream.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/types.h>
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/measurement.h"

/*
 * The maximum number of times that pstat checks whether all runs have arrived, with a pause of 1 ms
 * between checks.
 */
#define ROUNDS_AT_END 100

#define BUFFER_LEAST (64U << 10)
#define BUFFER_MOST (4U << 20)

int outlier_stream__begin(struct outlier_stream *stream, const struct backend_group *group,
			  uint64_t branch_code)
{
	size_t nr = (size_t)group->nr + 1;

	*stream = (struct outlier_stream){
		.group = group,
		.branch_code = branch_code,
		.before = *group->runs->outliers,
		.words = calloc(nr, sizeof(*stream->words)),
		.counts = calloc(nr, sizeof(*stream->counts)),
	};
	if (!stream->words || !stream->counts)
		return -ENOMEM;
	return branch_code ? branch_events__open_all(&stream->branches, branch_code) : 0;
}

void outlier_stream__end(struct outlier_stream *stream)
{
	branch_events__close(&stream->branches);
	free(stream->words);
	free(stream->counts);
}

int outlier_stream__add_cpu(struct outlier_stream *stream, int cpu)
{
	return branch_events__add_cpu(&stream->branches, stream->branch_code, cpu);
}

void outlier_stream__add_count(struct outlier_stream *stream, const struct evsel *evsel, int word,
			       bool clock)
{
	for (int i = 0; i < stream->nr_counts; i++)
		if (stream->words[i] == word)
			return;
	stream->words[stream->nr_counts] = word;
	stream->counts[stream->nr_counts++] =
		(struct outlier_count){ .evsel = evsel, .clock = clock };
}

uint64_t outlier_stream__time(const struct outlier_stream *stream, uint64_t ns)
{
	uint64_t start_ns = stream->group->measurement->start_ns;

	return ns > start_ns ? ns - start_ns : 0;
}

int outlier_stream__pass(struct outlier_stream *stream, struct outlier *run,
			 const struct branch_block *block)
{
	const struct session_sink *sink = stream->group->sink;

	run->counts = stream->counts;
	run->nr_counts = stream->nr_counts;
	if (stream->branch_code) {
		run->nr_branches = branch_events__decode(&stream->branches, block);
		run->branches = stream->branches.list;
	}
	stream->streamed++;
	return sink->run(sink->ctx, run);
}

int outlier_stream__read_error(const struct outlier_stream *stream, int err)
{
	return reason__set(stream->group->why, err, "--outliers: cannot read the streamed runs: %s",
			   strerror(-err));
}

size_t outlier_stream__buffer_size(size_t nr, size_t record)
{
	size_t size = BUFFER_LEAST;

	while (size < BUFFER_MOST && size < nr * record)
		size *= 2;
	return size;
}

/* Adds up the tallies of all CPUs. Returns 0 or -errno. */
static int read_tally(int map_fd, size_t value_size, struct outlier_sums *sums)
{
	int nr_cpus = libbpf_num_possible_cpus(), err = nr_cpus < 0 ? nr_cpus : 0;
	char *values = err ? NULL : calloc((size_t)nr_cpus, value_size);
	__u32 key = 0;

	if (!err && !values)
		err = -ENOMEM;
	if (!err && bpf_map_lookup_elem(map_fd, &key, values))
		err = -errno;
	*sums = (struct outlier_sums){ .passed = 0 };
	for (int i = 0; !err && i < nr_cpus; i++) {
		const struct outlier_tally *tally = (const void *)(values + value_size * (size_t)i);

		sums->passed += tally->passed;
		sums->suppressed += tally->suppressed;
		sums->lost += tally->lost;
	}
	free(values);
	return err;
}

static void report_missing(struct outlier_stream *stream, uint64_t missing)
{
	if (missing > stream->missing)
		pr_warn("--outliers: %" PRIu64
			" runs exceeded the threshold, but their records were not received, for an "
			"unknown reason\npstat counts these runs as lost",
			missing);
	stream->missing = missing;
}

int outlier_stream__finish(struct outlier_stream *stream, int tally_fd, size_t value_size,
			   int (*drain)(void *ctx), void *ctx)
{
	struct outlier_sums now = { 0 };

	for (int round = 0; round < ROUNDS_AT_END; round++) {
		int err;

		if (round)
			usleep(1000);
		err = read_tally(tally_fd, value_size, &now);
		err = reason__set(
			stream->group->why, err,
			"--outliers: cannot read how many runs exceeded the threshold: %s",
			strerror(-err));
		err = err ?: drain(ctx);
		if (err)
			return err;
		now.streamed = stream->streamed;
		now.lost += stream->dropped;
		if (now.passed == now.streamed + now.suppressed + now.lost)
			break;
	}
	report_missing(stream, outlier_sums__balance(&now));
	*stream->group->runs->outliers = (struct outlier_sums){
		.passed = stream->before.passed + now.passed,
		.streamed = stream->before.streamed + now.streamed,
		.suppressed = stream->before.suppressed + now.suppressed,
		.lost = stream->before.lost + now.lost,
	};
	return 0;
}
