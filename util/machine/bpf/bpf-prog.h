/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF programs that are loaded in the kernel. */
#ifndef PSTAT_MACHINE_BPF_PROG_H
#define PSTAT_MACHINE_BPF_PROG_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/bpf/bpf-prog-select.h"

struct bpf_prog_info;
struct strbuf;

/* One loaded program. The fd keeps it loaded. */
struct bpf_prog {
	uint32_t id;
	int fd;
	uint32_t type;			/* enum bpf_prog_type */
	uint8_t tag[BPF_PROG_TAG_SIZE]; /* hash of the instructions */
	uint32_t btf_id;		/* 0 without BTF */
	bool jited;			/* compiled to machine code; otherwise interpreted */
	uint64_t load_time;		/* CLOCK_BOOTTIME, ns */
	char *cut_name;			/* the name cut to 15 characters by the kernel */

	/* The following fields are set by bpf_prog__read_func(). */
	/*
	 * the full name of the main function; without BTF, cut_name; "main:function" for another
	 * function
	 */
	char *name;
	/* name of the function to count, by default the main one; NULL without BTF */
	char *func;
	uint32_t func_btf_id; /* BTF id of func in the program's own BTF; 0 without BTF */
	bool func_is_main;
	/* linkage of func in BTF; the kernel lets freplace replace only global functions */
	bool func_is_global;
};

/*
 * Open a program and read the data that one system call returns. Return 0 and set *@prog; -ENOENT
 * if no program has this @id, or nothing is pinned at @path; -EPERM if this user may not open
 * programs by id; or another -errno. On error, add the reason, and what to do, to @why.
 */
int bpf_prog__peek(uint32_t id, struct bpf_prog **prog, struct strbuf *why);
int bpf_prog__peek_pinned(const char *path, struct bpf_prog **prog, struct strbuf *why);
void bpf_prog__close(struct bpf_prog *prog);

/*
 * Reads the kernel's data about the program @fd. Fills those arrays of @info that have room.
 * Returns 0 or -errno.
 */
int bpf_prog__read_info(int fd, struct bpf_prog_info *info);

/*
 * Reads the names of @func (NULL: the main function) from the program's BTF, if it has any. Returns
 * 0; -ENOENT if the program has no such function; or another -errno. On error, adds the reason to
 * @why.
 */
int bpf_prog__read_func(struct bpf_prog *prog, const char *func, struct strbuf *why);

/*
 * Sets *@next to the lowest program id above @id. Returns 0; -ENOENT if there is none; or -EPERM.
 */
int bpf_prog__next_id(uint32_t id, uint32_t *next);

/*
 * Returns whether @prog matches @selector, which must be a pattern. May read the program's names.
 */
bool bpf_prog__matches(struct bpf_prog *prog, const struct prog_selector *selector);

#endif
