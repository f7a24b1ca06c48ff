/* SPDX-License-Identifier: GPL-2.0-only */
/* PID namespaces. A process id identifies a process only within one namespace. */
#ifndef PSTAT_MACHINE_PID_NS_H
#define PSTAT_MACHINE_PID_NS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroots;

/*
 * Identifies a namespace by the device and inode numbers that stat(2) returns for /proc/PID/ns/pid,
 * where PID is a process in this namespace. bpf_get_ns_current_pid_tgid() needs both numbers.
 */
struct pid_ns {
	uint64_t dev, ino;
};

/*
 * Finds the namespace of the thread @tid, or of the calling process if @tid is 0. Returns 0 or
 * -errno.
 */
int pid_ns__find(const struct sysroots *roots, pid_t tid, struct pid_ns *ns);

/* Returns whether @ns is the initial namespace, in which every task has an id. */
bool pid_ns__is_first(const struct pid_ns *ns);

#endif
