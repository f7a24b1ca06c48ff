/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds CPU time of a command that its events did not count. The kernel removes the events of a
 * process that executes a program with more privileges, or a program that its user may not read
 * (exec-file.h). The kernel does not report this, but the readings show it: the events were enabled
 * for less time than the command and its children used the CPU.
 */
#ifndef PSTAT_COUNT_EXEC_LOSS_H
#define PSTAT_COUNT_EXEC_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/task/exec-file.h"

struct counts;

struct exec_loss {
	enum exec_change change; /* the privileges that change at the exec of the command itself */
	/* CPU time that the command used since its exec; may exclude its children */
	uint64_t cpu_ns;
	uint64_t counted_ns; /* the longest time for which any event was enabled */
	/* the command used much more CPU time than one of its events was enabled */
	bool found;
};

/*
 * Was an event of the command's task enabled for so short a time that the kernel may have removed
 * it? Checks the readings @counts, and uses only @loss->cpu_ns. If this returns false, the caller
 * need not call exec_loss__apply() or set @loss->change.
 */
bool exec_loss__suspects(const struct exec_loss *loss, const struct counts *counts);

/*
 * Compares the readings of @counts, an event of the command's task, with @loss->cpu_ns. If the
 * kernel removed the events at the command's own exec, marks the counts as not counted. If it
 * removed them at the exec of a child, keeps the counts and sets the enabled time to cpu_ns, so
 * that the output shows the percentage of the time that was counted.
 */
void exec_loss__apply(struct exec_loss *loss, struct counts *counts);

#endif
