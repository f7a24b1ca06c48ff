/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF programs that are loaded in the kernel, by id. */
#ifndef PSTAT_MACHINE_BPF_PROG_H
#define PSTAT_MACHINE_BPF_PROG_H

#include <stdint.h>

struct strbuf;

/* One loaded program, held open: it stays as long as this does. */
struct bpf_prog {
	uint32_t id;
	int fd;
	uint32_t type;	      /* enum bpf_prog_type */
	uint32_t func_btf_id; /* BTF id of its main function, in its own BTF; 0 without BTF */
	char *name;	      /* that function's name whole, or without BTF the kernel's 15 characters of it */
};

/*
 * 0 and *@prog; -ENOENT when no program has @id, -EPERM when this user may not open programs by id, or another -errno; the
 * reason in words, and what to do, is added to @why.
 */
int bpf_prog__open(uint32_t id, struct bpf_prog **prog, struct strbuf *why);
void bpf_prog__close(struct bpf_prog *prog);

#endif
