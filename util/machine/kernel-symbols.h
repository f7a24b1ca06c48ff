/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's code at an address is called: the kernel's own functions, its modules', and BPF programs that are, or were, loaded. */
#ifndef PSTAT_MACHINE_KERNEL_SYMBOLS_H
#define PSTAT_MACHINE_KERNEL_SYMBOLS_H

#include <stdint.h>

struct kernel_code;
struct kernel_symbols;
struct sysroots;

struct kernel_symbol {
	const char *name;   /* both are valid until the next search */
	const char *object; /* "kernel", the module's name, or "bpf" */
	uint64_t offset;    /* of the address in it */
};

/*
 * Reads procfs' kallsyms, which takes some ten ms. What @code knows by name (it must outlive the symbols; NULL: nothing) comes before
 * that. 0; -EACCES when the kernel shows no addresses to this user (kernel.kptr_restrict); -ENODATA when there are no symbols in it;
 * -EINTR when a signal ended the reading (util/base/interrupt.h); else -errno.
 */
int kernel_symbols__read(const struct sysroots *roots, const struct kernel_code *code, struct kernel_symbols **symbols);
/* In words, why @err of the above, and what to do. */
const char *kernel_symbols__strerror(int err);
void kernel_symbols__free(struct kernel_symbols *symbols);

/* 0; -ENOENT when no function is known there. */
int kernel_symbols__find(struct kernel_symbols *symbols, uint64_t address, struct kernel_symbol *found);

#endif
