/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single runs of -b that cost more than a threshold (--outliers): the options, and the runs that
 * are reported.
 */
#ifndef PSTAT_COUNT_OUTLIERS_H
#define PSTAT_COUNT_OUTLIERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/count/counts.h"

struct branch;
struct evsel;
struct strbuf;

#define OUTLIER_RATE_DEFAULT 1000
#define OUTLIER_RATE_MAX 1000000000
/*
 * A packet of this size fits into a record of the kernel together with the other data, and is
 * longer than most frames.
 */
#define OUTLIER_PACKET_MAX 16384
/* With fewer runs, there is no percentile. */
#define OUTLIER_LEAST_RUNS 100
/* The name that selects the time of a run instead of the count of an event. */
#define OUTLIER_TIME "time"

/* The values of --outliers, --packet, --outlier-rate and --branches. */
struct outlier_spec {
	bool by_percentile;
	uint64_t above;		   /* unscaled count; ns for clocks */
	bool has_unit;		   /* `above` was given as a time */
	double share;		   /* with by_percentile: 0 < share < 1 */
	const struct evsel *evsel; /* in the evlist; NULL: the time of the run */
	uint32_t packet;	   /* bytes of the packet; 0: none */
	uint32_t rate;		   /* runs per second */
	bool branches;		   /* the branches before the end of a run are printed */
};

/*
 * Reads VALUE|pN[,EVENT] into above, has_unit, share and by_percentile. Returns 0, with the event
 * (a part of @text, or NULL) in *@event; or -EINVAL after adding the reason to @why.
 */
int outlier_spec__parse(const char *text, struct outlier_spec *spec, const char **event,
			struct strbuf *why);

/* The count of one event in a run, or the time of the run if evsel is NULL. */
struct outlier_count {
	const struct evsel *evsel;
	bool clock;		/* the count is in ns */
	struct reading reading; /* in this run; times are 0 if the event always had a counter */
};

/* A run above the threshold. Owns nothing. */
struct outlier {
	uint64_t time_ns;  /* the end of the run, since measurement.start_ns */
	uint64_t begin_ns; /* scopes only: the beginning of the run, since measurement.start_ns */
	int cpu;
	pid_t pid, tid; /* 0 if the task has no id in this namespace */
	const char *comm;
	const char *scope; /* NULL: a run of a BPF program */
	uint32_t prog_id;
	const char *prog;
	const struct outlier_count *counts;
	int nr_counts;
	const uint8_t *packet;
	uint32_t packet_bytes;	       /* length of the copy in `packet` */
	uint32_t packet_len;	       /* original length; 0 if the program has no packets */
	const struct branch *branches; /* the last ones of the run, in the order of execution */
	int nr_branches;
};

/* Runs above the threshold: passed = streamed + suppressed + lost. */
struct outlier_sums {
	uint64_t passed;
	uint64_t streamed;
	uint64_t suppressed; /* dropped by the rate limit */
	uint64_t lost;
};

/*
 * Makes the equation above true: a run that passed is also lost if it neither arrived nor was
 * counted as suppressed or lost. Returns the number of such runs. If more runs arrived than had
 * passed when `passed` was read, increases `passed`.
 */
uint64_t outlier_sums__balance(struct outlier_sums *sums);

#endif
