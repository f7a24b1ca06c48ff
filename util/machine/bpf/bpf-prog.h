/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF programs that are loaded in the kernel. */
#ifndef PSTAT_MACHINE_BPF_PROG_H
#define PSTAT_MACHINE_BPF_PROG_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/bpf/bpf-prog-select.h"

struct bpf_prog_info;
struct strbuf;

/* One loaded program. The fd keeps the program loaded. */
struct bpf_prog {
	uint32_t id;
	int fd;
	uint32_t type;			/* enum bpf_prog_type */
	uint8_t tag[BPF_PROG_TAG_SIZE]; /* hash of the instructions */
	uint32_t btf_id;		/* 0 without BTF or without func_info */
	bool jited;			/* compiled to machine code; otherwise interpreted */
	uint64_t load_time;		/* CLOCK_BOOTTIME, ns */
	char *cut_name;			/* the name, which the kernel truncates to 15 characters */

	/* bpf_prog__read_func() sets the following members. */
	/*
	 * the full name of the main function, or "MAIN:FUNCTION" if `func` is another function;
	 * cut_name if there is no BTF
	 */
	char *name;
	/* name of the function to count, by default the main function; NULL without BTF */
	char *func;
	uint32_t func_btf_id; /* id of `func` in the program's own BTF; 0 without BTF */
	bool func_is_main;
	/* `func` is global according to BTF; freplace programs can replace only global functions */
	bool func_is_global;
};

/*
 * bpf_prog__peek() opens the program with the id @id, and bpf_prog__peek_pinned() opens the program
 * that is pinned at @path. Both set *@prog to a new struct and fill in its members from `id` to
 * `cut_name`. They return 0; -ENOENT if no program has this id, or if nothing is pinned at @path;
 * -EINVAL if the object pinned at @path is not a program; -EPERM if this user may not open programs
 * by id; or another -errno. On error, they add the reason, and possibly advice for the user, to
 * @why.
 */
int bpf_prog__peek(uint32_t id, struct bpf_prog **prog, struct strbuf *why);
int bpf_prog__peek_pinned(const char *path, struct bpf_prog **prog, struct strbuf *why);
void bpf_prog__close(struct bpf_prog *prog);

/*
 * Reads the kernel's data about the program with the descriptor @fd into @info. If the caller has
 * stored addresses and sizes of arrays in @info, also fills these arrays. Returns 0 or -errno.
 */
int bpf_prog__read_info(int fd, struct bpf_prog_info *info);

/*
 * Makes @func (NULL: the main function) the function to count, and reads the names of the program
 * and of the function from the program's BTF. Without BTF, only the main function can be counted.
 * Returns 0; -ENOENT if the program has no such function; or another -errno. On error, adds the
 * reason to @why. If the names have already been read, does nothing and returns 0.
 */
int bpf_prog__read_func(struct bpf_prog *prog, const char *func, struct strbuf *why);

/*
 * Sets *@next to the lowest program id above @id. Returns 0; -ENOENT if there is no such program;
 * -EPERM if this user may not list programs; or another -errno.
 */
int bpf_prog__next_id(uint32_t id, uint32_t *next);

/*
 * Returns whether @prog matches @selector, which must be a pattern (prog_selector__is_pattern()).
 * If @selector is a pattern for names, and cut_name does not match it, also tries the full name. To
 * read this name, calls bpf_prog__read_func(), which selects the main function as the function to
 * count.
 */
bool bpf_prog__matches(struct bpf_prog *prog, const struct prog_selector *selector);

#endif
