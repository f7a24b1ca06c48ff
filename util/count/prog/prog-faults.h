/* SPDX-License-Identifier: GPL-2.0-only */
/* What went wrong with runs, over all targets and CPUs. */
#ifndef PSTAT_COUNT_PROG_FAULTS_H
#define PSTAT_COUNT_PROG_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/prog_profiler.h"
#include "util/machine/bpf-prog-facts.h"

struct cpumap;
struct prog_snapshot;
struct prog_target;

/* Zeroed is none. */
struct prog_faults {
	uint64_t runs;		     /* counted */
	uint64_t lost[PROG_NR_LOST]; /* given up, by cause */
	uint64_t unpaired;	     /* ends whose begin was not seen, or was not wanted */
	uint64_t unread;	     /* with a counter that could not be read */
	uint64_t missed;	     /* that the kernel did not tell of */
	uint64_t not_run;	     /* that the kernel did not start, as the program was running there already */
	uint64_t torn;		     /* that are in a reading with a part of what they counted */

	/* read for the first program of which no run was seen */
	bool knows_arrays;
	struct prog_holders arrays;
};

/* Adds those of one target, whose totals are in @snapshot. False: not one run of it was seen. */
bool prog_faults__add(struct prog_faults *faults, const struct prog_target *target,
		      const struct prog_snapshot *snapshot, const struct cpumap *possible);

/* The same of one that the kernel's statistics count. */
bool prog_faults__add_stats(struct prog_faults *faults, const struct prog_target *target);

/* Warns that it never ran, with the reason if it may be one; not when it was found by a pattern and there is none. */
void prog_faults__tell_unseen(struct prog_faults *faults, const struct prog_target *target, bool by_pattern);

/* Those of now are not those of later. */
void prog_faults__forget_arrays(struct prog_faults *faults);

/*
 * Under -v all of them, with the causes for which runs were given up, the most frequent first; as a warning when more than one run in a thousand is not in the counts, or in a part. @chosen: not all runs were
 * wanted.
 */
void prog_faults__tell(const struct prog_faults *faults, bool chosen);

#endif
