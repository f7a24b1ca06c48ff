/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF programs that are loaded in the kernel. */
#ifndef PSTAT_MACHINE_BPF_PROG_H
#define PSTAT_MACHINE_BPF_PROG_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/bpf-prog-select.h"

struct bpf_prog_info;
struct strbuf;

/* One loaded program, held open: it stays as long as this does. */
struct bpf_prog {
	uint32_t id;
	int fd;
	uint32_t type;			/* enum bpf_prog_type */
	uint8_t tag[BPF_PROG_TAG_SIZE]; /* of its instructions */
	uint32_t btf_id;		/* 0 without BTF */
	bool jited;			/* compiled; else it is interpreted */
	uint64_t load_time;		/* CLOCK_BOOTTIME, ns */
	char *cut_name;			/* the kernel's 15 characters of its name */

	/* once they have been read (bpf_prog__read_func): */
	char *name; /* the whole name of its main function, or without BTF cut_name; "main:function" for another */
	char *func; /* name of the function that is meant, by default the main one; NULL without BTF */
	uint32_t func_btf_id; /* BTF id of that in its own BTF; 0 without BTF */
	bool func_is_main;
	/* the function's linkage in BTF; the kernel lets freplace replace only global functions */
	bool func_is_global;
};

/*
 * Opens a program and looks at what costs little. 0 and *@prog; -ENOENT when no program has @id, or there is nothing at @path,
 * -EPERM when this user may not open programs by id, or another -errno; the reason in words, and what to do, is added to @why.
 */
int bpf_prog__peek(uint32_t id, struct bpf_prog **prog, struct strbuf *why);
int bpf_prog__peek_pinned(const char *path, struct bpf_prog **prog, struct strbuf *why);
void bpf_prog__close(struct bpf_prog *prog);

/* What the kernel says of the program @fd; arrays of @info that have room are filled. 0 or -errno. */
int bpf_prog__read_info(int fd, struct bpf_prog_info *info);

/*
 * Looks names up in the program's BTF, if it has any, for @func, or for its main function with NULL. 0; -ENOENT when it has no
 * such function, or another -errno, the reason in @why.
 */
int bpf_prog__read_func(struct bpf_prog *prog, const char *func, struct strbuf *why);

/* The id of the next program behind @id: 0 and *@next, -ENOENT when there is none, -EPERM. They come in rising order. */
int bpf_prog__next_id(uint32_t id, uint32_t *next);

/* Is @prog one that @selector, a pattern, means? May read its names. */
bool bpf_prog__matches(struct bpf_prog *prog, const struct prog_selector *selector);

#endif
