/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that comes to the kernel and goes while it runs (BPF programs, their trampolines): from where to where, and what it is called.
 * /proc/kallsyms has what is loaded at this moment, and no lengths; what is known here stays when it is unloaded.
 */
#ifndef PSTAT_MACHINE_KERNEL_CODE_H
#define PSTAT_MACHINE_KERNEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_code;

/* [start, end). */
struct kernel_code_range {
	uint64_t start, end;
	char *name; /* owned; NULL: only its length is known */
};

/* NULL without memory. */
struct kernel_code *kernel_code__new(void);
void kernel_code__free(struct kernel_code *code);

/* @name was loaded there: what was known of these addresses is forgotten. 0 or -ENOMEM. */
int kernel_code__add(struct kernel_code *code, uint64_t start, uint64_t len, const char *name);
/* There is code of that length. What is known of these addresses stays. 0 or -ENOMEM. */
int kernel_code__add_length(struct kernel_code *code, uint64_t start, uint64_t len);

/* NULL when nothing is known to have been there. Valid until something is added. */
const struct kernel_code_range *kernel_code__find(const struct kernel_code *code, uint64_t address);

/* The lengths of all BPF programs that are loaded have been added. */
void kernel_code__set_complete(struct kernel_code *code);
bool kernel_code__is_complete(const struct kernel_code *code);

#endif
