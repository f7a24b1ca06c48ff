// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-outlier-rows.h"

#include <errno.h>
#include <stdlib.h>

#include "builtin/stat/stat-options.h"
#include "builtin/stat/stat-output.h"
#include "util/base/log.h"
#include "util/base/number.h"
#include "util/count/outliers.h"
#include "util/event/evsel.h"
#include "util/report/outlier_row.h"

static const char *name_of(const struct evsel *evsel)
{
	return evsel ? evsel->name : OUTLIER_TIME;
}

/* Scales the count up to the whole run, as the counts in rows are scaled up to the whole time. */
static struct outlier_row_count make_count(const struct stat_options *options, const struct outlier_count *from)
{
	const struct reading *reading = &from->reading;
	struct outlier_row_count count = {
		.event = name_of(from->evsel),
		.unit = from->clock ? "ns" : "",
		.value = reading->value,
		.counted = !reading->enabled || reading->running,
	};

	if (!options->no_scale && reading->running && reading->running < reading->enabled)
		count.value = number__scale(reading->value, reading->enabled, reading->running);
	return count;
}

int stat_outlier_rows__show(const struct stat_options *options, struct stat_output *out, const struct outlier *outlier)
{
	struct outlier_row_count *counts = calloc((size_t)outlier->nr_counts + 1, sizeof(*counts));
	struct outlier_row row = {
		.time_ns = outlier->time_ns,
		.cpu = outlier->cpu,
		.pid = outlier->pid,
		.tid = outlier->tid,
		.comm = outlier->comm,
		.prog_id = outlier->prog_id,
		.prog = outlier->prog,
		.passed = name_of(options->outliers.evsel),
		.counts = counts,
		.nr_counts = outlier->nr_counts,
		.has_packet = options->outliers.packet,
		.packet = outlier->packet,
		.packet_bytes = outlier->packet_bytes,
		.packet_len = outlier->packet_len,
	};
	int err;

	if (!counts)
		return log__out_of_memory();
	for (int i = 0; i < outlier->nr_counts; i++)
		counts[i] = make_count(options, &outlier->counts[i]);
	err = stat_output__outlier(out, &row);
	free(counts);
	return err;
}

int stat_outlier_rows__end(const struct stat_options *options, struct stat_output *out, const struct outlier_sums *sums)
{
	struct outlier_foot foot = {
		.passed = name_of(options->outliers.evsel),
		.all = sums->passed,
		.streamed = sums->streamed,
		.suppressed = sums->suppressed,
		.lost = sums->lost,
		.rate = options->outliers.rate,
	};

	return options->count.outliers ? stat_output__outlier_foot(out, &foot) : 0;
}
