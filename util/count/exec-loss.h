/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds CPU time of a command that its events did not count. The kernel removes the events of a
 * process that executes a program with more privileges, or a program that its user may not read
 * (exec-file.h). Afterwards the readings show this only indirectly: the events were enabled for
 * less time than the command and its children used the CPU.
 */
#ifndef PSTAT_COUNT_EXEC_LOSS_H
#define PSTAT_COUNT_EXEC_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/task/exec-file.h"

struct counts;

struct exec_loss {
	enum exec_change change; /* what the exec of the command itself changed */
	/* CPU time that the command used since its exec; may exclude its children */
	uint64_t cpu_ns;
	uint64_t counted_ns; /* the longest time for which any event was enabled */
	bool found;	     /* some event was enabled for much less than cpu_ns */
};

/*
 * Is some reading of @counts, an event of the command's task, so short that the kernel may have
 * removed the event? Uses only @loss->cpu_ns. If it returns false, exec_loss__apply() would change
 * nothing, and the caller need not find out @loss->change.
 */
bool exec_loss__suspects(const struct exec_loss *loss, const struct counts *counts);

/*
 * Compares the readings of @counts, an event of the command's task, with @loss->cpu_ns. If the
 * kernel removed the events at the command's own exec, marks the counts as not counted. If it
 * removed them in a child, keeps the counts and sets the enabled time to cpu_ns, so that the output
 * shows which share was counted.
 */
void exec_loss__apply(struct exec_loss *loss, struct counts *counts);

#endif
