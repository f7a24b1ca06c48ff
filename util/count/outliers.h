/* SPDX-License-Identifier: GPL-2.0-only */
/* Single runs of -b that cost more than a threshold (--outliers): what is asked for, and what whoever shows them is told. */
#ifndef PSTAT_COUNT_OUTLIERS_H
#define PSTAT_COUNT_OUTLIERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/count/counts.h"

struct evsel;
struct strbuf;

#define OUTLIER_RATE_DEFAULT 1000
#define OUTLIER_RATE_MAX 1000000000
/* What fits into a record of the kernel's with all else, and the longest frames that are common. */
#define OUTLIER_PACKET_MAX 16384
/* There is no percentile of fewer runs. */
#define OUTLIER_LEAST_RUNS 100
/* What the time of a run is called where an event is. */
#define OUTLIER_TIME "time"

/* What --outliers, --packet and --outlier-rate say. */
struct outlier_spec {
	bool by_percentile;
	uint64_t above;		   /* counts, before any scale; ns of a clock */
	bool has_unit;		   /* that was given as a time */
	double share;		   /* with by_percentile: 0 < share < 1 */
	const struct evsel *evsel; /* of the evlist; NULL: the time of the run */
	uint32_t packet;	   /* bytes; 0: none */
	uint32_t rate;		   /* runs a second */
};

/*
 * Reads VALUE|pN[,EVENT] into above, has_unit, share and by_percentile. 0 and *@event, a part of @text or NULL without one; -EINVAL and
 * @why.
 */
int outlier_spec__parse(const char *text, struct outlier_spec *spec, const char **event, struct strbuf *why);

/* Of one event; without @evsel of the time of the run. */
struct outlier_count {
	const struct evsel *evsel;
	bool clock;		/* it is in ns */
	struct reading reading; /* of the run alone; times are 0 where the event always had a counter */
};

/* A run that has passed. Nothing is owned. */
struct outlier {
	uint64_t time_ns; /* when it ended, as session_tick.time_ns; from a backend: on CLOCK_MONOTONIC */
	int cpu;
	pid_t pid, tid; /* 0 where the task has no id in this namespace */
	const char *comm;
	uint32_t prog_id;
	const char *prog;
	const struct outlier_count *counts;
	int nr_counts;
	const uint8_t *packet;
	uint32_t packet_bytes; /* there are of it */
	uint32_t packet_len;   /* it had; 0 also when the program has no packets */
};

/* What became of the runs that have passed: passed = streamed + suppressed + lost. */
struct outlier_sums {
	uint64_t passed;
	uint64_t streamed;
	uint64_t suppressed; /* by the rate limit */
	uint64_t lost;
};

/*
 * Makes that true of @sums, in which streamed is what has arrived and the others are what is known of: what else passed is lost too.
 * How many these are. Where more has become of runs than had passed when that was read, they have passed.
 */
uint64_t outlier_sums__settle(struct outlier_sums *sums);

/* Called for each, in the order of their times as far as they come together. A negative errno stops the count. */
typedef int (*outlier_fn)(void *ctx, struct outlier *outlier);

/* Where a backend sends them. */
struct outlier_sink {
	outlier_fn tell;
	void *ctx;
	struct outlier_sums sums; /* as of the last disable, of all runs of -r */
};

#endif
