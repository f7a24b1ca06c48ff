/* SPDX-License-Identifier: GPL-2.0-only */
/* What went wrong with runs, over all targets and CPUs. */
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

/* All zero: no faults. */
struct prog_faults {
	uint64_t runs;		     /* runs that were counted */
	uint64_t lost[PROG_NR_LOST]; /* lost runs, by cause */
	/* ends of runs whose beginning was not seen, or which the user did not ask for */
	uint64_t unpaired;
	uint64_t unread; /* runs for which a counter could not be read */
	/* missed runs: the kernel did not call pstat's BPF programs */
	uint64_t missed;
	/*
	 * runs that the kernel did not start, because the program was already running on that CPU
	 */
	uint64_t not_run;
	/*
	 * runs of which a reading contains only a part, because the totals were read during the
	 * update
	 */
	uint64_t torn;

	/* set when the first program was read of which no run was seen */
	bool knows_arrays;
	struct prog_holders arrays;
};

/*
 * Adds the faults of one target, whose totals are in @snapshot. Returns false if no run of it was
 * seen.
 */
bool prog_faults__add(struct prog_faults *faults, const struct prog_target *target,
		      const struct prog_snapshot *snapshot, const struct cpumap *possible);

/*
 * Adds the faults of a target that is counted by the kernel's statistics. Returns false if no run
 * of it was seen.
 */
bool prog_faults__add_stats(struct prog_faults *faults, const struct prog_target *target);

/*
 * Warns that the program never ran, with a possible reason. Does not warn about a program that a
 * pattern found if no reason is known.
 */
void prog_faults__report_unseen(struct prog_faults *faults, const struct prog_target *target,
				bool by_pattern);

/* Forgets the program arrays, which may change until the next use. */
void prog_faults__forget_arrays(struct prog_faults *faults);

/*
 * With -v, prints all faults, the causes of lost runs in order of frequency. Prints them as a
 * warning if more than one run in a thousand is missing from the counts or only partly in them.
 * @chosen: the user asked for some of the runs only.
 */
void prog_faults__report(const struct prog_faults *faults, bool chosen);

#endif
