/* SPDX-License-Identifier: GPL-2.0-only */
/* The length of the machine code of each function of the BPF programs that are loaded now. */
#ifndef PSTAT_MACHINE_BPF_PROG_LENGTHS_H
#define PSTAT_MACHINE_BPF_PROG_LENGTHS_H

struct kernel_code;

/*
 * Adds all lengths to @code and marks it as complete. Returns 0; -EPERM or -EACCES if this user may
 * not see them; -ENOMEM; or another -errno.
 */
int bpf_prog_lengths__add(struct kernel_code *code);

#endif
