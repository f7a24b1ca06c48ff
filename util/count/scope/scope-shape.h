/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How BPF programs read the events of a session at the points of scopes, and where they store the
 * values.
 */
#ifndef PSTAT_COUNT_SCOPE_SHAPE_H
#define PSTAT_COUNT_SCOPE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/prog_profiler.h"
#include "bpf_skel/scope.h"

struct backend_group;
struct cgroup;
struct cpumap;
struct event_fds;
struct outlier_spec;
struct reading;
struct stat_config;

enum scope_kind {
	SCOPE_NONE,	/* the event is not open, or is run_cnt */
	SCOPE_WALL,	/* wall time (the event scope-time) */
	SCOPE_CLOCK,	/* CPU time; read without the perf event */
	SCOPE_SWITCHES, /* context switches; read from the thread's task_struct */
	SCOPE_PLAIN,	/* the count, without times */
	/*
	 * the count, and the enabled and running times of the event (struct reading); for events
	 * that may have to wait for a counter, or whose counts do not start at 0
	 */
	SCOPE_TIMED,
};

/* How BPF programs read one event of a backend group. */
struct scope_event {
	enum scope_kind kind;
	/* SCOPE_PLAIN, SCOPE_TIMED: the key in the map `events` is number * nr_cpus + CPU id */
	int number;
	int word; /* the index of the event's count in a row of words (struct scope_words) */
	int set;  /* with -G: the index of the event's set of sums (see nr_sets); otherwise 0 */
};

struct scope_shape {
	struct scope_words words;
	struct scope_event *events; /* [event of the group] */
	struct scope_cost *costs;   /* [word]; all costs are 0 if they were not measured */
	int nr_cpus;		    /* largest possible CPU id + 1 */
	int nr_rows;		    /* rows of the report, as defined in bpf_skel/scope.h */
	/* the word whose values are sorted into a histogram; -1: no histogram */
	int hist_word;
	/* the word that is compared with the threshold of --outliers; -1: no --outliers */
	int outlier_word;
	const struct outlier_spec *outliers;
	bool inclusive;			/* a run's counts include those of the runs inside it */
	const struct cpumap *some_cpus; /* only runs on these CPUs are counted (-C); NULL: all */
	bool per_thread;		/* the rows are threads (--per-thread) */
	bool branches;			/* outliers are stored with their last branches */
	/*
	 * the number of sets of sums in a row of the report. Each cgroup has a set for the runs in
	 * this cgroup. If there are no cgroups, or some events have no cgroup, the last set is for
	 * all runs
	 */
	int nr_sets;
	int nr_cgroups; /* 0: all runs are in a single set */
	const struct cgroup *cgroups[PROG_MAX_CGROUPS];
};

/*
 * Decides how each event of @group is read. @fds must contain the open perf events, and the indexes
 * hist_word and outlier_word in @shape must be -1. If any event has had to wait for a counter, all
 * events that use hardware counters are read with their times, because each of these events may
 * have to wait. Returns 0, or -errno with the reason in group->why.
 */
int scope_shape__init(struct scope_shape *shape, const struct backend_group *group,
		      const struct event_fds *fds, const struct stat_config *cfg);
/*
 * Sets the cgroups for which runs are counted, the number of sets of sums, and `set` of each event.
 * Returns 0, or -errno with the reason in group->why.
 */
int scope_shape__list_cgroups(struct scope_shape *shape, const struct backend_group *group,
			      const struct stat_config *cfg);
void scope_shape__free(struct scope_shape *shape);

/* Returns the size in bytes of the state of a thread that can have @depth runs in progress. */
size_t scope_shape__thread_size(const struct scope_shape *shape, uint32_t depth);
/*
 * Returns the size in bytes of an entry of the map `totals` for one CPU: a struct scope_totals, and
 * the sums and the histogram that follow it.
 */
size_t scope_shape__totals_size(const struct scope_shape *shape);
/* Returns the size in bytes of a record of --outliers. */
size_t scope_shape__outlier_size(const struct scope_shape *shape);
/* Returns the offset in bytes of the branches, which are the last part of an outlier's record. */
size_t scope_shape__branches_at(const struct scope_shape *shape);

/*
 * Subtracts the cost of counting from @sum, which is the sum of the word with the index @word over
 * @runs runs. @inner is the number of other runs inside these runs. @nested is the number of these
 * runs that were themselves inside another run. If the event had a counter for only a part of the
 * time, subtracts the same fraction of the cost.
 */
void scope_shape__subtract(const struct scope_shape *shape, int word, uint64_t runs, uint64_t inner,
			   uint64_t nested, struct reading *sum);

/* Marks uncore events as unsupported, because they count a whole package, not a single thread. */
void scope_shape__refuse_uncore(const struct backend_group *group);

/* Returns the sums in the totals of one CPU: an array with one element for each word. */
const uint64_t *scope_shape__sums(const struct scope_totals *totals);
/* Returns the buckets of the histogram in the totals of one CPU. */
const uint64_t *scope_shape__buckets(const struct scope_shape *shape,
				     const struct scope_totals *totals);

#endif
