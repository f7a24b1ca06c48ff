/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of stacks as BPF gets them, and what they are called: of the kernel by address, of a user's program by build id and offset in
 * the file, or by address where the kernel could not find out the file.
 */
#ifndef PSTAT_MACHINE_CODE_NAMES_H
#define PSTAT_MACHINE_CODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/machine/build-id.h"

struct code_names;
struct kernel_symbols;
struct mapped_objects;

enum code_frame_kind {
	CODE_KERNEL,  /* `at` is an address of the kernel's */
	CODE_FILE,    /* … an offset in the file of `id` */
	CODE_ADDRESS, /* … an address of the process */
};

struct code_frame {
	enum code_frame_kind kind;
	uint64_t at;
	struct build_id id;
};

/* Strings are the names', and equal ones are one pointer. */
struct code_name {
	const char *function; /* NULL: not known */
	const char *
		object; /* path of the file, "kernel", a module's name, "bpf", "[vdso]"; of an unknown file its build id; or "[unknown]" */
	const char *file; /* of the source; NULL: not known, or not asked for */
	int line;
};

/*
 * @lines: find source lines too, which takes time and memory. @objects must outlive the names. The kernel's functions are not known until
 * code_names__set_kernel() is called. NULL without memory.
 */
struct code_names *code_names__new(struct mapped_objects *objects, bool lines);
/* @kernel must outlive the names. */
void code_names__set_kernel(struct code_names *names, struct kernel_symbols *kernel);
void code_names__free(struct code_names *names);

/*
 * What the frame of a stack of process @pid is called. @is_caller: the address is where a call returns to, and what is meant lies before it. 0 or
 * -ENOMEM.
 */
int code_names__find(struct code_names *names, pid_t pid, const struct code_frame *frame, bool is_caller,
		     struct code_name *name);

/* "/usr/lib/libc.so.6" → "libc.so.6": what there is room for in a table. */
const char *code_name__short_object(const struct code_name *name);

#endif
