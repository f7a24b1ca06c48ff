/* SPDX-License-Identifier: GPL-2.0-only */
/* Namespaces of process ids: of which one the ids are that BPF programs and user space tell each other. */
#ifndef PSTAT_MACHINE_PID_NS_H
#define PSTAT_MACHINE_PID_NS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroots;

/* As stat(2) has it, and as bpf_get_ns_current_pid_tgid() takes it. */
struct pid_ns {
	uint64_t dev, ino;
};

/* That of the thread @tid, with 0 that of the process that calls. 0 or -errno. */
int pid_ns__find(const struct sysroots *roots, pid_t tid, struct pid_ns *ns);

/* Is it the one that the kernel starts with, where every task has an id? */
bool pid_ns__is_first(const struct pid_ns *ns);

#endif
