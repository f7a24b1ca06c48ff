/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides when pstat stops waiting for an answer from the child process of far-file.h. The time
 * limit for an answer is called the patience. On a busy machine, the child may wait longer for a
 * CPU than for a file system. So pstat looks at the child twice, and does not count the time for
 * which the child waits for CPUs between the two looks:
 *
 *	question     half of the patience     end of the patience, or later
 *	│            │ first look             │ second look
 *
 * At the first look, pstat reads how long the child has waited for CPUs so far. At the second look,
 * pstat takes the time since the question, and subtracts the time for which the child has waited
 * for CPUs since the first look. If the difference is not more than the patience, or if the child
 * is running or ready to run, pstat continues to wait, and soon repeats the second look. The answer
 * usually arrives before the first look. In this case, pstat reads nothing in /proc.
 */
#ifndef PSTAT_MACHINE_FAR_PATIENCE_H
#define PSTAT_MACHINE_FAR_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroots;

struct far_patience {
	uint64_t length; /* the patience in ns */
	uint64_t begun;	 /* the value of clock__now() when the wait began */
	bool looked;	 /* the first look has been taken */
	uint64_t waited; /* ns for which the child had waited for CPUs before the first look */
};

/*
 * Returns whether pstat should stop waiting for the child @pid at the time @now. If
 * /proc/PID/schedstat cannot be read, no time is subtracted. If /proc/PID/stat cannot be read,
 * pstat assumes that the child is not ready to run.
 */
bool far_patience__is_over(struct far_patience *patience, const struct sysroots *roots, pid_t pid,
			   uint64_t now);

#endif
