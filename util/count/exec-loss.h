/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects CPU time of a command that the kernel did not count. When a process executes a program
 * with more privileges, or a program that its user may not read (exec-file.h), the kernel removes
 * the events of the process. The kernel does not report this. pstat notices the loss because the
 * enabled time of the events is less than the CPU time of the command and its children.
 */
#ifndef PSTAT_COUNT_EXEC_LOSS_H
#define PSTAT_COUNT_EXEC_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/task/exec-file.h"

struct counts;

struct exec_loss {
	enum exec_change change; /* which privileges change at the exec of the command itself */
	/* CPU time that the command used since its exec; may exclude its children */
	uint64_t cpu_ns;
	uint64_t counted_ns; /* the longest time for which any event was enabled */
	/* an event's enabled time is much less than the CPU time */
	bool found;
};

/*
 * Returns whether a reading in @counts has so short an enabled time that the kernel may have
 * removed the event. @counts must belong to an event that counts the command. Of @loss, only cpu_ns
 * must be set. If the result is false for all events, the caller need not set @loss->change or call
 * exec_loss__apply().
 */
bool exec_loss__suspects(const struct exec_loss *loss, const struct counts *counts);

/*
 * Compares the enabled times in @counts with @loss->cpu_ns. @counts must belong to an event that
 * counts the command. If the kernel removed the event at the command's own exec, sets the reading
 * to zero, so that the event is printed as not counted. If the kernel removed the event at a later
 * exec, keeps the value, sets the enabled time to cpu_ns, and turns off scaling. The output then
 * shows for which percentage of cpu_ns the event counted.
 */
void exec_loss__apply(struct exec_loss *loss, struct counts *counts);

#endif
