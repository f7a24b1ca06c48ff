/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The faults of -b, in all targets (the counted BPF programs) and on all CPUs: runs that were not
 * counted, or not counted exactly.
 */
#ifndef PSTAT_COUNT_PROG_FAULTS_H
#define PSTAT_COUNT_PROG_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/prog_profiler.h"
#include "util/machine/bpf/bpf-prog-facts.h"

struct cpumap;
struct prog_snapshot;
struct prog_target;

/* A zero-initialized struct has no faults. */
struct prog_faults {
	uint64_t runs;		     /* runs that were counted */
	uint64_t lost[PROG_NR_LOST]; /* lost runs, by cause */
	uint64_t unpaired;	     /* ends that match no run in progress (prog_totals.unpaired) */
	uint64_t unread; /* runs at whose beginning or end a counter could not be read */
	/* missed runs: the kernel did not call pstat's BPF program when the run began */
	uint64_t missed;
	/*
	 * how many times the kernel did not start a target, because the target was already running
	 * on the same CPU
	 */
	uint64_t not_run;
	/*
	 * torn readings: how many times the totals of a CPU were read while the CPU was adding a
	 * run, so that the totals contained only some of the run's counts
	 */
	uint64_t torn;

	bool knows_arrays; /* `arrays` is valid */
	/* which programs are in program arrays (maps for tail calls) */
	struct prog_holders arrays;
};

/*
 * Adds the faults of @target, whose totals must be in @snapshot. Returns false if pstat saw no run
 * of the target, and no run was missed.
 */
bool prog_faults__add(struct prog_faults *faults, const struct prog_target *target,
		      const struct prog_snapshot *snapshot, const struct cpumap *possible);

/*
 * Adds the faults of a target that is counted by the kernel's statistics (prog-stats.h) instead of
 * BPF programs. Returns false if, according to the statistics, the target did not run, and the
 * kernel skipped no run of it.
 */
bool prog_faults__add_stats(struct prog_faults *faults, const struct prog_target *target);

/*
 * Warns that pstat saw no run of the program of @target, and prints a possible reason. @by_pattern
 * is true if the user did not name the program, and only patterns such as name:GLOB match it. In
 * this case, warns only if a program array contains the program.
 */
void prog_faults__report_unseen(struct prog_faults *faults, const struct prog_target *target,
				bool by_pattern);

/* Returns the number of runs that were not counted. */
uint64_t prog_faults__nr(const struct prog_faults *faults);

/* Frees `arrays`. Program arrays can change, so `arrays` is read again when it is next needed. */
void prog_faults__forget_arrays(struct prog_faults *faults);

/*
 * With -v, prints all faults. If runs were lost, this includes the causes, the most frequent cause
 * first. Each line that concerns more than one run per thousand counted runs is printed as a
 * warning, even without -v. @chosen must be true if the user selected runs by task or cgroup.
 * Returns the number of runs that were not counted.
 */
uint64_t prog_faults__report(const struct prog_faults *faults, bool chosen);

#endif
