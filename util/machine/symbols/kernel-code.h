/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records the addresses and names of kernel code that is loaded and unloaded at run time: BPF
 * programs and their trampolines. /proc/kallsyms lists only code that is loaded now, and does not
 * contain lengths. struct kernel_code also contains code that has been unloaded.
 */
#ifndef PSTAT_MACHINE_KERNEL_CODE_H
#define PSTAT_MACHINE_KERNEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_code;

/*
 * Code that is or was loaded at the addresses [start, end). Other code may have been loaded there
 * at other times.
 */
struct kernel_code_range {
	uint64_t start, end;
	char *name;	/* owned; NULL: only the addresses are known */
	uint64_t since; /* when it was loaded; 0: not loaded now, or unknown */
	uint64_t lived; /* total ns for which it was loaded, not counting the time after `since` */
};

/*
 * @now is the time at which pstat begins to record. All times must be in ns and come from the same
 * clock. Returns NULL if memory ran out.
 */
struct kernel_code *kernel_code__new(uint64_t now);
void kernel_code__free(struct kernel_code *code);

/* Record that the code @name was loaded or unloaded at @time (ns). Return 0 or -ENOMEM. */
int kernel_code__load(struct kernel_code *code, uint64_t start, uint64_t len, const char *name,
		      uint64_t time);
int kernel_code__unload(struct kernel_code *code, uint64_t start, uint64_t len, const char *name,
			uint64_t time);
/*
 * Adds a range for code whose name is in kallsyms, unless the range overlaps a known range. Returns
 * 0 or -ENOMEM.
 */
int kernel_code__add_length(struct kernel_code *code, uint64_t start, uint64_t len);
/*
 * Sets the current time, which kernel_code__find() needs for code that is still loaded. Such code
 * has been loaded for `lived` plus the time between `since` and @now, or only for `lived` if
 * `since` is after @now.
 */
void kernel_code__set_now(struct kernel_code *code, uint64_t now);

/*
 * Returns the range that contains @address, or NULL. If different code was at this address at
 * different times, returns the range of the code that was loaded for the longest time. The result
 * is valid until a range is added.
 */
const struct kernel_code_range *kernel_code__find(const struct kernel_code *code, uint64_t address);

/* Records that the lengths of all loaded BPF programs have been added. */
void kernel_code__set_complete(struct kernel_code *code);
bool kernel_code__is_complete(const struct kernel_code *code);

#endif
