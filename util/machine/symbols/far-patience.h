/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long to wait for the child process of far-file.h. On a busy machine, the child may wait for a
 * CPU longer than for a file system. Only the time in which it has a CPU or sleeps is counted:
 *
 *	question     half of the patience            its end, or later
 *	│            │ look: how long has it waited  │ look again: it sleeps, and the time for
 *	│            │       for CPUs until now?     │ which it waited since then is over, too
 *
 * An answer usually comes before the first look, so nothing is read in /proc for it.
 */
#ifndef PSTAT_MACHINE_FAR_PATIENCE_H
#define PSTAT_MACHINE_FAR_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroots;

struct far_patience {
	uint64_t length; /* ns */
	uint64_t begun;	 /* clock__now() when the waiting began */
	bool looked;	 /* at the child, for the first time */
	uint64_t waited; /* at the first look: ns for which the child had waited for CPUs */
};

/*
 * Returns whether the child @pid has been waited for long enough at the time @now. Without
 * /proc/PID/schedstat or /proc/PID/stat, all time is counted.
 */
bool far_patience__is_over(struct far_patience *patience, const struct sysroots *roots, pid_t pid,
			   uint64_t now);

#endif
