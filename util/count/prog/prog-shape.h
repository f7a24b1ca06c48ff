/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The properties that all targets of a session share: which events are read in each run and where
 * their values are stored, which runs count, and the maps that the programs of all targets share.
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
	PROG_NONE,  /* not open, or not a perf event */
	PROG_CLOCK, /* elapsed time: needs no event */
	PROG_PLAIN, /* only the count is read */
	PROG_TIMED, /* count and times are read: the event may lack a counter for a while */
};

/* How an event of the group is read. */
struct prog_event {
	enum prog_kind kind;
	int number; /* its number in the map of events; the clock has none */
	int word;   /* the position of its count in a row */
	/*
	 * the set of sums: that of the event's cgroup, or of the first cgroup if cgroups are
	 * counted separately
	 */
	int set;
};

/*
 * The cost that counting adds to a word, for each run, and for each run inside it that is also
 * counted.
 */
struct prog_cost {
	uint64_t own;
	uint64_t inner;
};

struct prog_shape {
	struct strbuf *why; /* that of the backend group */
	struct prog_words words;
	struct prog_event *events; /* [event of the group] */
	struct prog_cost *costs;   /* [word]; all 0 without calibration */
	int nr_cpus;		   /* largest possible CPU id + 1 */
	int nr_sets;		   /* 1, or one for each control group */
	int nr_cgroups;		   /* 0: runs count in whichever control group */
	enum prog_filter filter;
	int hist_word;			     /* that goes into a histogram; -1 without */
	int outlier_word;		     /* that runs can pass a threshold by; -1 without */
	const struct outlier_spec *outliers; /* with outlier_word */
	struct prog_kernel kernel;	     /* with packets, or a namespace */
	/*
	 * the namespace of process ids that user space's ids are of; 0: the first one, or ids do
	 * not matter
	 */
	uint64_t pid_ns_dev, pid_ns_ino;
	/* fds; -1 where there is none */
	int events_map, runs_map, tasks_map, cgroups_map;
	int outliers_map, second_map, buffers_map;
};

/* Sets fds to -1 and everything else to 0. */
void prog_shape__init(struct prog_shape *shape, struct strbuf *why);
/*
 * Makes a BPF map for @option, whose keys have 4 bytes; at least one entry. Stores the fd in *@fd.
 */
int prog_shape__make_map(const struct prog_shape *shape, const char *option, enum bpf_map_type type,
			 const char *name, size_t value_size, int entries, int *fd);
void prog_shape__free(struct prog_shape *shape);

/*
 * Decides how each event of @group is read. Its perf events are open in @fds. If one of them found
 * no counter, all perf events are read with their times, because any of them may have to wait.
 */
int prog_shape__place_events(struct prog_shape *shape, const struct backend_group *group,
			     const struct prog_fds *fds);

/* Returns the size in bytes of one CPU's state in the maps cpu_runs and totals. */
size_t prog_shape__runs_size(const struct prog_shape *shape);
size_t prog_shape__totals_size(const struct prog_shape *shape);

/* Returns the offset in bytes of a word of a row (PROG_ROW_…) in a CPU's state in cpu_runs. */
size_t prog_shape__word_at(const struct prog_shape *shape, int row, int word);

/* Returns the size in bytes of a streamed run's record, without its packet. */
size_t prog_shape__outlier_size(const struct prog_shape *shape);

/* Bytes of a set of sums, and before the histogram in the totals. */
size_t prog_shape__set_size(const struct prog_shape *shape);
size_t prog_shape__hist_offset(const struct prog_shape *shape);

/* @totals: of one CPU. The sums of @set, and the words behind it. */
const struct prog_set *prog_shape__set(const struct prog_shape *shape,
				       const struct prog_totals *totals, int set);
/* Returns false if a run was being added to @totals while they were read. */
bool prog_shape__is_whole(const struct prog_shape *shape, const struct prog_totals *totals);

/* Sets the sizes and constants of a skeleton that includes prog_runs.bpf.h. */
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
