/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the machine code of every function of the BPF programs is that are loaded now. */
#ifndef PSTAT_MACHINE_BPF_PROG_LENGTHS_H
#define PSTAT_MACHINE_BPF_PROG_LENGTHS_H

struct kernel_code;

/* Adds them to @code, which is complete then. 0; -EPERM, -EACCES when this user is not told; -ENOMEM, or another -errno. */
int bpf_prog_lengths__add(struct kernel_code *code);

#endif
