/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties that all targets (counted BPF programs) of a session share: which events are read in
 * each run, where their values are stored, which runs are counted, and which maps pstat's BPF
 * programs use.
 *
 * A reading of all events is a row of words: see struct prog_words.
 */
#ifndef PSTAT_COUNT_PROG_SHAPE_H
#define PSTAT_COUNT_PROG_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/bpf.h>
#include <linux/types.h>
#include "bpf_skel/prog_outliers.h"
#include "bpf_skel/prog_profiler.h"
#include "util/count/prog/prog-kernel.h"

struct backend_group;
struct outlier_spec;
struct prog_fds;
struct strbuf;

enum prog_kind {
	PROG_NONE,  /* not read: the event is not open, or is a tool event (enum tool_event) */
	PROG_CLOCK, /* elapsed time: BPF programs read the clock instead of a perf event */
	PROG_PLAIN, /* only the count is read */
	/*
	 * the count and the times (enabled, running) are read, because the event may have to wait
	 * for a counter, or because its count could look like an error (see kind_of())
	 */
	PROG_TIMED,
};

/* How an event of the group is read. */
struct prog_event {
	enum prog_kind kind;
	/*
	 * the index of the event among the events in the map `events`; used only for PROG_PLAIN and
	 * PROG_TIMED
	 */
	int number;
	int word; /* the index of its count in a row of words */
	/*
	 * The index of the set of sums (struct prog_set) that contains the event's count. With -G,
	 * this is the set of the event's cgroup or, if the event has no cgroup, the set of all
	 * runs. With --for-each-cgroup, the index is 0 (the first cgroup), and the sets of the
	 * other cgroups follow. Otherwise, the index is 0.
	 */
	int set;
};

/* The cost of counting: the amount that counting itself adds to one word of a run's counts. */
struct prog_cost {
	uint64_t own;	/* added by counting this run */
	uint64_t inner; /* added by counting one run inside this run */
};

struct prog_shape {
	struct strbuf *why; /* owned by the backend group */
	struct prog_words words;
	struct prog_event *events; /* [event of the group] */
	struct prog_cost *costs;   /* [word]; all costs are 0 if they were not measured */
	int nr_cpus;		   /* largest possible CPU id + 1 */
	int nr_sets;		   /* number of sets of sums (struct prog_set) in the totals */
	int nr_cgroups;		   /* 0: runs in all cgroups are counted */
	enum prog_filter filter;
	/* the word whose values are sorted into a histogram; -1: no histogram */
	int hist_word;
	/* the word that is compared with the threshold of --outliers; -1: no --outliers */
	int outlier_word;
	const struct outlier_spec *outliers; /* NULL without --outliers */
	/* set only with --packet, or if pstat is not in the initial PID namespace */
	struct prog_kernel kernel;
	bool branches; /* the branches before the end of each run are recorded */
	/*
	 * the device and the inode number of the PID namespace in which the BPF programs look up
	 * the ids of tasks; both are 0 if it is the initial namespace, or if no ids are needed
	 */
	uint64_t pid_ns_dev, pid_ns_ino;
	/* the fds of maps; -1: there is no such map */
	int events_map, runs_map, tasks_map, cgroups_map;
	int outliers_map, second_map, buffers_map;
	/* the fd of the map that contains the gate, owned by prog-gate; -1: no --start or --stop */
	int gate_map;
};

/*
 * Sets the fds, hist_word and outlier_word to -1, nr_sets to 1, `why` to @why, and all other
 * members to 0.
 */
void prog_shape__init(struct prog_shape *shape, struct strbuf *why);
/*
 * Makes a map with keys of 4 bytes, and stores its fd in *@fd. If @entries is 0, the map has room
 * for one entry. @option is the option that needs the map, for messages.
 */
int prog_shape__make_map(const struct prog_shape *shape, const char *option, enum bpf_map_type type,
			 const char *name, size_t value_size, int entries, int *fd);
void prog_shape__free(struct prog_shape *shape);

/*
 * Decides how each event of @group is read. The events must be open in @fds. If any event had to
 * wait for a counter, all events that use hardware counters are read with their times, because each
 * of them may have to wait. Returns 0, or -errno with the reason in group->why.
 */
int prog_shape__place_events(struct prog_shape *shape, const struct backend_group *group,
			     const struct prog_fds *fds);

/*
 * These functions return the size in bytes of one CPU's value in a map: prog_shape__runs_size() in
 * the map `cpu_runs`, and prog_shape__totals_size() in the map `totals`.
 */
size_t prog_shape__runs_size(const struct prog_shape *shape);
size_t prog_shape__totals_size(const struct prog_shape *shape);

/*
 * Returns the byte offset of word @word of row @row (PROG_ROW_...) in a value of the map
 * `cpu_runs`.
 */
size_t prog_shape__word_at(const struct prog_shape *shape, int row, int word);

/* Returns the size in bytes of the record of a run (--outliers), without its packet. */
size_t prog_shape__outlier_size(const struct prog_shape *shape);
/*
 * Returns the offset in bytes of the branches in a record. Only the packet follows the branches.
 */
size_t prog_shape__branches_at(const struct prog_shape *shape);

/* Returns the size in bytes of a set of sums: struct prog_set, and the words after it. */
size_t prog_shape__set_size(const struct prog_shape *shape);
/* Returns the offset in bytes of the histogram in the totals of one CPU. */
size_t prog_shape__hist_offset(const struct prog_shape *shape);

/* Returns the set with the index @set in the totals of one CPU. Its words follow the struct. */
const struct prog_set *prog_shape__set(const struct prog_shape *shape,
				       const struct prog_totals *totals, int set);
/* Returns false if a run was being added to @totals while they were read, otherwise true. */
bool prog_shape__is_whole(const struct prog_shape *shape, const struct prog_totals *totals);

/*
 * For a skeleton whose source includes prog_runs.bpf.h: sets the constants that prog_runs.bpf.h
 * declares, and makes the skeleton use the maps `events` and `cpu_runs` of @shape. Returns 0 or
 * -errno.
 */
#define prog_shape__apply(shape, skel)                                              \
	({                                                                          \
		const struct prog_shape *shape_ = (shape);                          \
		int err_;                                                           \
                                                                                    \
		(skel)->rodata->shape = shape_->words;                              \
		(skel)->rodata->row_size =                                          \
			sizeof(uint64_t) * (uint64_t)(shape_->words.words ?: 1);    \
		(skel)->rodata->nr_cpus = (uint32_t)shape_->nr_cpus;                \
		err_ = bpf_map__reuse_fd((skel)->maps.events, shape_->events_map);  \
		err_ ?: bpf_map__reuse_fd((skel)->maps.cpu_runs, shape_->runs_map); \
	})

#endif
