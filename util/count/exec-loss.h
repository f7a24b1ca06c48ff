/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects whether the kernel failed to count a part of the command's CPU time. The kernel removes
 * the events of a process when the process executes a program with more privileges, or a program
 * that the user is not allowed to read (exec-file.h). The kernel does not report the removal. pstat
 * notices the loss because the enabled time of the events is then much less than the CPU time of
 * the command and its children.
 */
#ifndef PSTAT_COUNT_EXEC_LOSS_H
#define PSTAT_COUNT_EXEC_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/task/exec-file.h"

struct counts;

struct exec_loss {
	/*
	 * why the kernel removes the events at the command's own exec; EXEC_SAME: as far as pstat
	 * knows, the kernel keeps them
	 */
	enum exec_change change;
	/*
	 * CPU time of the command: for exec_loss__suspects(), since the fork; for
	 * exec_loss__apply(), since the exec, or since the fork if `change` is not EXEC_SAME.
	 * Includes the command's children only after the command has ended
	 */
	uint64_t cpu_ns;
	uint64_t counted_ns; /* the longest time for which any event was enabled */
	/* exec_loss__apply() found an event that the kernel removed */
	bool found;
};

/*
 * Returns whether any enabled time in @counts is so short that the kernel may have removed the
 * event. @counts must belong to an event that counts the command. Uses no member of @loss except
 * `cpu_ns`. If the result is false for all events, the caller need not set @loss->change or call
 * exec_loss__apply().
 */
bool exec_loss__suspects(const struct exec_loss *loss, const struct counts *counts);

/*
 * Corrects each reading in @counts whose enabled time shows that the kernel removed the event. If
 * there is such a reading, sets @loss->found. In any case, raises @loss->counted_ns to at least the
 * longest enabled time in @counts. @counts must belong to an event that counts the command. If the
 * kernel removed the event at the command's own exec, sets the reading to zero, so that the report
 * prints the event as not counted. If the kernel removed the event at a later exec, keeps the
 * value, sets the enabled time to @loss->cpu_ns, and turns off scaling. The report then shows for
 * what percentage of this CPU time the event counted.
 */
void exec_loss__apply(struct exec_loss *loss, struct counts *counts);

#endif
