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

/* [start, end), which has been called @name for so long. Others may have been there before or later. */
struct kernel_code_range {
	uint64_t start, end;
	char *name;	/* owned; NULL: only its length is known */
	uint64_t since; /* the time that it was loaded at; 0: it is no longer */
	uint64_t lived; /* ns, before that */
};

/* Nothing is known before @now; all times are ns of one clock. NULL without memory. */
struct kernel_code *kernel_code__new(uint64_t now);
void kernel_code__free(struct kernel_code *code);

/* What is called @name was loaded there, or is unloaded now, at @time. 0 or -ENOMEM. */
int kernel_code__load(struct kernel_code *code, uint64_t start, uint64_t len, const char *name, uint64_t time);
int kernel_code__unload(struct kernel_code *code, uint64_t start, uint64_t len, const char *name, uint64_t time);
/* There is code of that length, unless something is known of these addresses. 0 or -ENOMEM. */
int kernel_code__add_length(struct kernel_code *code, uint64_t start, uint64_t len);
/* Until now it is looked at: what was loaded later has been there for no time. */
void kernel_code__set_now(struct kernel_code *code, uint64_t now);

/* Of all that were there the one that was for the longest; NULL when nothing is known to have been. Valid until something is added. */
const struct kernel_code_range *kernel_code__find(const struct kernel_code *code, uint64_t address);

/* The lengths of all BPF programs that are loaded have been added. */
void kernel_code__set_complete(struct kernel_code *code);
bool kernel_code__is_complete(const struct kernel_code *code);

#endif
