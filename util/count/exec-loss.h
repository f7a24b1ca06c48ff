/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time of a command that its events did not count. The kernel removes the events of a process that executes a program with more
 * privileges, or one that its user may not read (exec-file.h). Reading the events afterwards shows only that they were enabled for less
 * time than the command and its children used the CPU.
 */
#ifndef PSTAT_COUNT_EXEC_LOSS_H
#define PSTAT_COUNT_EXEC_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/exec-file.h"

struct counts;

struct exec_loss {
	enum exec_change change; /* by the exec of the command itself */
	uint64_t cpu_ns;	 /* used by the command since its exec so far, perhaps without its children */
	uint64_t counted_ns;	 /* the longest that an event was enabled */
	bool found;		 /* some event was enabled for much less than cpu_ns */
};

/*
 * Is some reading of @counts, an event of the command's task, so short that the events may have been removed? Needs only @loss->cpu_ns; if
 * false, exec_loss__apply() would change nothing, and nobody need know @loss->change.
 */
bool exec_loss__suspects(const struct exec_loss *loss, const struct counts *counts);

/*
 * Compares the readings of @counts, an event of the command's task, with @loss->cpu_ns. When the events were removed at the exec of the
 * command itself, its counts are as if it had not been counted; when they were removed in a child, the counts stay and the time enabled
 * becomes cpu_ns, so that the share that was counted is shown.
 */
void exec_loss__apply(struct exec_loss *loss, struct counts *counts);

#endif
