// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/exec-loss.h"

#include "util/base/clock.h"
#include "util/count/counts.h"
#include "util/machine/cpu/cpumap.h"

/*
 * Events start after the fork of their task and end before the end of the task. So even without a
 * loss, very short tasks are counted up to a tenth too short. If pstat knows of no exec that
 * removes events, it reports only a gap that is much larger.
 */
#define LEAST_LOSS_NS (10 * NSEC_PER_MSEC)

static bool may_be_short(const struct exec_loss *loss, uint64_t enabled)
{
	return enabled && enabled < loss->cpu_ns / 2;
}

static bool is_short(const struct exec_loss *loss, uint64_t enabled)
{
	if (!may_be_short(loss, enabled))
		return false;
	return loss->change != EXEC_SAME || loss->cpu_ns - enabled >= LEAST_LOSS_NS;
}

bool exec_loss__suspects(const struct exec_loss *loss, const struct counts *counts)
{
	for (int row = 0; row < counts->cpus->nr; row++)
		for (int column = 0; column < counts->nr_columns; column++)
			if (may_be_short(loss, counts__total(counts, row, column).enabled))
				return true;
	return false;
}

void exec_loss__apply(struct exec_loss *loss, struct counts *counts)
{
	for (int row = 0; row < counts->cpus->nr; row++) {
		for (int column = 0; column < counts->nr_columns; column++) {
			struct reading reading = counts__total(counts, row, column);

			if (!reading.enabled)
				continue;
			if (reading.enabled > loss->counted_ns)
				loss->counted_ns = reading.enabled;
			if (!is_short(loss, reading.enabled))
				continue;
			loss->found = true;
			if (loss->change != EXEC_SAME) {
				reading = (struct reading){ 0 };
			} else {
				reading.enabled = loss->cpu_ns;
				counts->no_scale = true;
			}
			counts__set_row(counts, row, column, &reading);
		}
	}
}
