/* SPDX-License-Identifier: GPL-2.0-only */
/* The system calls of this architecture. */
#ifndef PSTAT_MACHINE_SYSCALL_NAMES_H
#define PSTAT_MACHINE_SYSCALL_NAMES_H

/* Greater than all numbers of system calls that have a name. */
#define SYSCALL_NAMES_END 512

/* Returns the name of system call @nr, or NULL if it is unknown. */
const char *syscall_names__of(int nr);

#endif
