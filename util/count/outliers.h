/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Outliers (--outliers): runs of a BPF program (-b) or scope (--scope) whose count or time exceeds
 * a threshold.
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
 * The maximum of outlier_spec.packet. The data of a run, including the copy of a packet, must fit
 * into one record of a perf ring buffer.
 */
#define OUTLIER_PACKET_MAX 16384
/* pstat computes a percentile only if there are at least this many runs. */
#define OUTLIER_LEAST_RUNS 100
/*
 * The word that the user writes instead of an event (--outliers VALUE,EVENT) to select the time of
 * a run.
 */
#define OUTLIER_TIME "time"

/* The values of --outliers, --packet, --outlier-rate and --branches. */
struct outlier_spec {
	bool by_percentile;
	/*
	 * unless by_percentile is set: the threshold, which is an unscaled count, or ns for clock
	 * events and times
	 */
	uint64_t above;
	bool has_unit;		   /* `above` was given as a time */
	double share;		   /* with by_percentile: percentile / 100 */
	const struct evsel *evsel; /* the event, owned by the evlist; NULL: the time of the run */
	uint32_t packet;	   /* copy at most this many bytes of each packet; 0: none */
	uint32_t rate;		   /* the maximum number of runs to print per second */
	bool branches;		   /* print the last branches of each outlier */
};

/*
 * Parses @text, which should have the form VALUE[,EVENT] or pN[,EVENT]. For VALUE, sets `above` and
 * `has_unit` in @spec; for pN, sets `by_percentile` and `share`. Sets *@event to the EVENT in
 * @text, or to NULL if there is none. Returns 0, or -EINVAL after adding the reason to @why.
 */
int outlier_spec__parse(const char *text, struct outlier_spec *spec, const char **event,
			struct strbuf *why);

/* The count of one event in a run, or the time of the run if evsel is NULL. */
struct outlier_count {
	const struct evsel *evsel;
	bool clock; /* the count is in ns */
	/*
	 * `value` is the count or the time of the run; `enabled` and `running` are 0 if they were
	 * not read, because the event always has a counter
	 */
	struct reading reading;
};

/*
 * A run whose count or time exceeds the threshold. The struct does not own the objects to which its
 * members point.
 */
struct outlier {
	uint64_t time_ns; /* the end of the run, in ns since measurement.start_ns */
	/* scopes only: the beginning of the run, in ns since measurement.start_ns */
	uint64_t begin_ns;
	int cpu;
	pid_t pid, tid; /* 0 if the task has no ID in pstat's PID namespace */
	const char *comm;
	const char *scope; /* NULL: a run of a BPF program */
	uint32_t prog_id;
	const char *prog;
	const struct outlier_count *counts;
	int nr_counts;
	const uint8_t *packet;
	uint32_t packet_bytes; /* length of the copy in `packet` */
	/* length of the packet; 0 if the program handles no packets */
	uint32_t packet_len;
	const struct branch *branches; /* the last branches of the run, in the order of execution */
	int nr_branches;
};

/*
 * `passed` is the number of runs above the threshold. Each of these runs was printed (`streamed`),
 * suppressed or lost. After outlier_sums__balance(), passed = streamed + suppressed + lost.
 */
struct outlier_sums {
	uint64_t passed;
	uint64_t streamed;
	uint64_t suppressed; /* not printed, because of --outlier-rate */
	uint64_t lost;	     /* the data of the run did not reach pstat */
};

/*
 * Makes `passed` equal to streamed + suppressed + lost. If `passed` is larger than this sum, adds
 * the difference to `lost`, and returns the difference. If `passed` is smaller, sets `passed` to
 * the sum and returns 0. (`passed` is smaller if pstat read it before the last runs arrived.)
 */
uint64_t outlier_sums__balance(struct outlier_sums *sums);

#endif
