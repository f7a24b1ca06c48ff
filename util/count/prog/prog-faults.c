// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-faults.h"

#include <inttypes.h>
#include <linux/types.h>
#include <string.h>

#include "bpf_skel/prog_profiler.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/prog/prog-stats.h"
#include "util/count/prog/prog-target.h"
#include "util/count/prog/prog-totals.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/cpu/cpumap.h"

bool prog_faults__add(struct prog_faults *faults, const struct prog_target *target,
		      const struct prog_snapshot *snapshot, const struct cpumap *possible)
{
	uint64_t missed = prog_target__missed(target), seen = missed;

	for (int i = 0; i < possible->nr; i++) {
		const struct prog_totals *totals =
			prog_snapshot__of_cpu(snapshot, possible->ids[i]);

		faults->runs += totals->added;
		faults->lost[PROG_LOST_BUSY] += totals->lost;
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

/*
 * Reads faults->arrays, unless it has already been read. This is slow, because pstat has to look at
 * each BPF map on the system. Returns whether faults->arrays is valid.
 */
static bool read_arrays(struct prog_faults *faults)
{
	if (!faults->knows_arrays)
		faults->knows_arrays = !prog_holders__prog_arrays(&faults->arrays);
	return faults->knows_arrays;
}

void prog_faults__report_unseen(struct prog_faults *faults, const struct prog_target *target,
				bool by_pattern)
{
	const struct bpf_prog *prog = target->prog;
	int nr = 0;

	if (read_arrays(faults) && prog_holders__of(&faults->arrays, prog->id, &nr))
		pr_warn("-b %u (%s): no run was seen: the program is in a prog array, and pstat "
			"does not see runs that begin with a tail call\nthe counts of the calling "
			"program include such runs",
			prog->id, prog->name);
	else if (!by_pattern)
		pr_warn("-b %u (%s): no run was seen: the program did not run, or its runs began "
			"with a tail call, which pstat does not see",
			prog->id, prog->name);
}

void prog_faults__forget_arrays(struct prog_faults *faults)
{
	prog_holders__free(&faults->arrays);
	faults->knows_arrays = false;
}

/* For each cause of lost runs: its description, and what the user can do. */
static const struct {
	const char *text, *advice;
} causes[PROG_NR_LOST] = {
	[PROG_LOST_BUSY] = { "began in an interrupt while another run was being counted",
			     "count fewer events or fewer programs at once, so that counting a run "
			     "takes less time" },
	[PROG_LOST_SWITCH] = { "were in progress when another task got the CPU in the middle of "
			       "counting",
			       "count fewer events or fewer programs at once, so that counting a "
			       "run takes less time" },
	[PROG_LOST_NO_SLOT] = { "were in progress when one CPU had more than 8 runs that were "
				"nested or off the CPU",
				"count fewer of the programs that run inside each other or that "
				"sleep" },
	[PROG_LOST_NO_END] = { "were in progress together with a run whose end the kernel did not "
			       "report",
			       "count fewer programs at once, and end other tools that attach to "
			       "them" },
	[PROG_LOST_UNREAD] = { "were in progress when a counter could not be read",
			       "count fewer events, and end other tools that use counters" },
};

static uint64_t all_lost(const struct prog_faults *faults)
{
	uint64_t lost = 0;

	for (int cause = 0; cause < PROG_NR_LOST; cause++)
		lost += faults->lost[cause];
	return lost;
}

/* Returns the most frequent cause in @lost. */
static int most_of(const uint64_t *lost)
{
	int most = 0;

	for (int cause = 1; cause < PROG_NR_LOST; cause++)
		if (lost[cause] > lost[most])
			most = cause;
	return most;
}

static void report_causes(const struct prog_faults *faults, enum log_level level)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t lost[PROG_NR_LOST];
	int first = most_of(faults->lost);

	memcpy(lost, faults->lost, sizeof(lost));
	for (int cause = first; lost[cause]; cause = most_of(lost)) {
		strbuf__addf(&text, "%s%" PRIu64 " %s", cause == first ? "" : "; ", lost[cause],
			     causes[cause].text);
		lost[cause] = 0;
	}
	if (text.len && !strbuf__failed(&text))
		log__print(level, "-b: of the lost runs, %s\n%s", text.text, causes[first].advice);
	strbuf__free(&text);
}

uint64_t prog_faults__nr(const struct prog_faults *faults)
{
	return all_lost(faults) + faults->unread + faults->missed;
}

uint64_t prog_faults__report(const struct prog_faults *faults, bool chosen)
{
	uint64_t lost = all_lost(faults), wrong = prog_faults__nr(faults);
	enum log_level level = wrong * 1000 > faults->runs ? LOG_WARNING : LOG_INFO;

	log__print(level,
		   "-b: %" PRIu64 " runs counted; not counted: %" PRIu64 " lost, %" PRIu64
		   " with a counter that could not be read, %" PRIu64
		   " missed by the kernel; %" PRIu64 " ends %s",
		   faults->runs, lost, faults->unread, faults->missed, faults->unpaired,
		   chosen ? "of runs that are not counted, or whose beginning was not seen" :
			    "whose beginning was not seen");
	report_causes(faults, level);
	if (faults->not_run)
		log__print(
			faults->not_run * 1000 > faults->runs ? LOG_WARNING : LOG_INFO,
			"-b: %" PRIu64
			" times the kernel did not start a program, because it was already running "
			"on that CPU",
			faults->not_run);
	if (faults->torn)
		log__print(
			faults->torn * 1000 > faults->runs ? LOG_WARNING : LOG_INFO,
			"-b: %" PRIu64
			" times the totals were read while a CPU was adding a run: they contained "
			"only a part of that run",
			faults->torn);
	return wrong;
}
