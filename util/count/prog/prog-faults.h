/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs that were lost or are not exact, over all targets and CPUs. */
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

/* If all members are zero, there are no faults. */
struct prog_faults {
	uint64_t runs;		     /* runs that were counted */
	uint64_t lost[PROG_NR_LOST]; /* lost runs, by cause */
	/* runs whose beginning was not seen, or which the user did not ask for */
	uint64_t unpaired;
	uint64_t unread; /* runs during which a counter could not be read */
	/* missed runs: the kernel did not call pstat's BPF program */
	uint64_t missed;
	/*
	 * runs that the kernel did not start, because the program was already running on that CPU
	 */
	uint64_t not_run;
	/*
	 * runs that a reading contains only in part, because it was taken during an update of the
	 * totals
	 */
	uint64_t torn;

	/* `arrays` has been read */
	bool knows_arrays;
	struct prog_holders arrays;
};

/*
 * Adds the faults of a target, whose totals are in @snapshot. Returns false if no run of the target
 * was seen.
 */
bool prog_faults__add(struct prog_faults *faults, const struct prog_target *target,
		      const struct prog_snapshot *snapshot, const struct cpumap *possible);

/*
 * Adds the faults of a target that the kernel's statistics count. Returns false if no run of the
 * target was seen.
 */
bool prog_faults__add_stats(struct prog_faults *faults, const struct prog_target *target);

/*
 * Warns that pstat saw no run of the program, with a possible reason. If a pattern found the
 * program (@by_pattern) and no reason is known, does not warn.
 */
void prog_faults__report_unseen(struct prog_faults *faults, const struct prog_target *target,
				bool by_pattern);

/* Returns the number of runs that were not counted. */
uint64_t prog_faults__nr(const struct prog_faults *faults);

/* Forgets the program arrays, because they may change until they are needed again. */
void prog_faults__forget_arrays(struct prog_faults *faults);

/*
 * With -v, prints all faults, and the causes of lost runs sorted by frequency. If more than one run
 * in a thousand is missing or only partly counted, prints a warning instead. @chosen: the user
 * asked only for some of the runs. Returns the number of runs that were not counted.
 */
uint64_t prog_faults__report(const struct prog_faults *faults, bool chosen);

#endif
