// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-faults.h"

#include <inttypes.h>
#include <linux/types.h>

#include "bpf_skel/prog_profiler.h"
#include "util/base/log.h"
#include "util/count/prog/prog-stats.h"
#include "util/count/prog/prog-target.h"
#include "util/count/prog/prog-totals.h"
#include "util/machine/bpf-prog.h"
#include "util/machine/cpumap.h"

bool prog_faults__add(struct prog_faults *faults, const struct prog_target *target,
		      const struct prog_snapshot *snapshot, const struct cpumap *possible)
{
	uint64_t missed = prog_target__missed(target), seen = missed;

	for (int i = 0; i < possible->nr; i++) {
		const struct prog_totals *totals = prog_snapshot__of_cpu(snapshot, possible->ids[i]);

		faults->runs += totals->added;
		faults->lost += totals->lost;
		faults->unpaired += totals->unpaired;
		faults->unread += totals->read_errors;
		seen += totals->added + totals->lost + totals->unpaired + totals->read_errors;
	}
	faults->missed += missed;
	faults->not_run += prog_target__own_misses(target);
	return seen;
}

bool prog_faults__add_stats(struct prog_faults *faults, const struct prog_target *target)
{
	struct prog_stats_sum sum = prog_stats__read(target->stats, target->prog);

	faults->runs += sum.runs;
	faults->not_run += sum.missed;
	return sum.runs || sum.missed;
}

/* To read them is to look at every map of the system: too much to be done for each of many programs. */
static bool read_arrays(struct prog_faults *faults)
{
	if (!faults->knows_arrays)
		faults->knows_arrays = !prog_holders__prog_arrays(&faults->arrays);
	return faults->knows_arrays;
}

void prog_faults__tell_unseen(struct prog_faults *faults, const struct prog_target *target, bool by_pattern)
{
	const struct bpf_prog *prog = target->prog;
	int nr = 0;

	if (!read_arrays(faults))
		return;
	if (prog_holders__of(&faults->arrays, prog->id, &nr))
		pr_warn("-b %u (%s): not one run was seen; it is in a prog array, and one that is entered by a tail "
			"call "
			"cannot be seen: its cost is in the program that makes the call",
			prog->id, prog->name);
	else if (!by_pattern)
		pr_warn("-b %u (%s): not one run was seen; one that is entered by a tail call cannot be", prog->id,
			prog->name);
}

void prog_faults__forget_arrays(struct prog_faults *faults)
{
	prog_holders__free(&faults->arrays);
	faults->knows_arrays = false;
}

void prog_faults__tell(const struct prog_faults *faults, bool chosen)
{
	uint64_t wrong = faults->lost + faults->unread + faults->missed;

	log__print(wrong * 1000 > faults->runs ? LOG_WARNING : LOG_INFO,
		   "-b: %" PRIu64 " runs counted; not counted: %" PRIu64 " lost, %" PRIu64
		   " with a counter that could not be read, %" PRIu64 " missed by the kernel; %" PRIu64 " ends %s",
		   faults->runs, faults->lost, faults->unread, faults->missed, faults->unpaired,
		   chosen ? "of runs that were not wanted, or whose begin was not seen" : "whose begin was not seen");
	if (faults->not_run)
		log__print(faults->not_run * 1000 > faults->runs ? LOG_WARNING : LOG_INFO,
			   "-b: %" PRIu64 " times the kernel left a program out, as it was running on that CPU already",
			   faults->not_run);
	if (faults->torn)
		log__print(faults->torn * 1000 > faults->runs ? LOG_WARNING : LOG_INFO,
			   "-b: %" PRIu64
			   " times a CPU stood in the middle of adding a run up for as long as its counts "
			   "were read: they had a part of that run",
			   faults->torn);
}
