/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives names to stack frames: finds the function, the program or library, and the source line of
 * each frame. A frame in the kernel is identified by its address. A frame in a process is
 * identified by the build id of a file and an offset in this file, or by an address if the kernel
 * could not determine the file.
 */
#ifndef PSTAT_MACHINE_CODE_NAMES_H
#define PSTAT_MACHINE_CODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/machine/symbols/build-id.h"

struct code_names;
struct kernel_symbols;
struct mapped_objects;

enum code_frame_kind {
	CODE_KERNEL,  /* `at` is a kernel address */
	CODE_FILE,    /* `at` is an offset in the file with the build id `id` */
	CODE_ADDRESS, /* `at` is an address in the process */
};

struct code_frame {
	enum code_frame_kind kind;
	uint64_t at;
	struct build_id id;
};

/*
 * A function at the address of a frame, and a source line of the function. struct code_names owns
 * the strings. Equal strings have equal pointers.
 */
struct code_name {
	const char *function; /* NULL: unknown */
	bool is_inlined;      /* inlined into the function of the next name in the array */
	/*
	 * in the kernel: "kernel", the name of a module, or "bpf"; in a process: the path of the
	 * file, "/tmp/perf-PID.map" (jit-maps.h), "[vdso]" or "[anon]"; for an unknown file: its
	 * build id or "[unknown]"
	 */
	const char *object;
	const char *file; /* path of the source file; NULL: unknown or not requested */
	/*
	 * In the first name of a frame, the line of the code at the frame's address. In each other
	 * name, the line that calls the function of the previous name.
	 */
	int line;
	/*
	 * Set only if the function's name is unknown: the link-time address at which the function
	 * starts. If the start is unknown too, this is the frame's link-time address, rounded down
	 * to a multiple of CODE_BLOCK. If the file cannot be read, this is the frame's file offset
	 * instead, and for code in anonymous memory, the frame's address in the process. Both are
	 * rounded down in the same way.
	 */
	uint64_t address;
	bool has_address; /* `address` is set */
};

#define CODE_BLOCK 4096

enum code_names_flags {
	CODE_LINES = 1,	   /* also find source lines, which takes time and memory */
	CODE_DEMANGLE = 2, /* demangle C++ and Rust names (demangler.h) */
	CODE_INLINED = 4,  /* also find inlined functions, which takes time and memory */
};

/*
 * @flags: enum code_names_flags. @objects must outlive the returned struct. Kernel functions are
 * unknown until code_names__set_kernel() is called. Returns NULL if memory ran out.
 */
struct code_names *code_names__new(struct mapped_objects *objects, unsigned int flags);
/* @kernel must outlive @names. */
void code_names__set_kernel(struct code_names *names, struct kernel_symbols *kernel);
void code_names__free(struct code_names *names);

/* The maximum number of names that code_names__find() returns for one frame. */
#define CODE_MOST_NAMES 64

/*
 * Finds the names of @frame, a frame in a stack of the process @pid. The last name is that of the
 * function that contains the code at the frame's address. The names before it are those of the
 * functions that are inlined at this address, the innermost one first. If @is_caller is set, the
 * address is a return address, so pstat looks up the byte before it. Returns the number of names,
 * which is at least 1, or -ENOMEM.
 */
int code_names__find(struct code_names *names, pid_t pid, const struct code_frame *frame,
		     bool is_caller, struct code_name found[static CODE_MOST_NAMES]);

/* Shortens "/usr/lib/libc.so.6" to "libc.so.6" for tables. */
const char *code_name__short_object(const struct code_name *name);

#endif
