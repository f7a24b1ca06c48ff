/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the name of the kernel code at an address: a function of the kernel or of a module, or a
 * BPF program or trampoline that is or was loaded.
 */
#ifndef PSTAT_MACHINE_KERNEL_SYMBOLS_H
#define PSTAT_MACHINE_KERNEL_SYMBOLS_H

#include <stdint.h>

struct kernel_code;
struct kernel_symbols;
struct sysroots;

/* The strings are valid until the next search. */
struct kernel_symbol {
	const char *name;
	const char *object; /* "kernel", the name of a module, or "bpf" */
	uint64_t offset;    /* offset of the address in the function or program */
};

/*
 * Reads /proc/kallsyms, which takes tens of ms. Names in @code take precedence over names in
 * kallsyms. @code may be NULL; if not, it must outlive *@symbols. Returns 0; -EACCES if the kernel
 * hides addresses from this user (kernel.kptr_restrict); -ENODATA if the file is empty; -EINTR if a
 * signal asks pstat to end (util/base/interrupt.h); or another -errno.
 */
int kernel_symbols__read(const struct sysroots *roots, const struct kernel_code *code,
			 struct kernel_symbols **symbols);
/*
 * Returns a description of an error that kernel_symbols__read() returned, with advice for the user.
 */
const char *kernel_symbols__strerror(int err);
void kernel_symbols__free(struct kernel_symbols *symbols);

/* Finds the function or BPF program at @address. Returns 0, or -ENOENT if none is known. */
int kernel_symbols__find(struct kernel_symbols *symbols, uint64_t address,
			 struct kernel_symbol *found);

#endif
