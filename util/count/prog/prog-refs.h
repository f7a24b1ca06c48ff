/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The number of references to each loaded BPF program. A program to which only pstat refers will
 * not run again.
 */
#ifndef PSTAT_COUNT_PROG_REFS_H
#define PSTAT_COUNT_PROG_REFS_H

#include <stdint.h>

struct prog_refs;
struct strbuf;

/*
 * Sets *@refs and returns 0. If the kernel or the user's privileges do not allow reading the
 * references, returns -errno with the reason in @why. Takes a few ms, because libbpf reads the
 * kernel's BTF.
 */
int prog_refs__new(struct prog_refs **refs, struct strbuf *why);
void prog_refs__free(struct prog_refs *refs);

/* Reads the number of references to each loaded program. Returns 0 or -errno. */
int prog_refs__read(struct prog_refs *refs);
/*
 * Returns the number of references to the program @id at the latest prog_refs__read(), or 0 if the
 * program was not loaded at that time.
 */
uint64_t prog_refs__of(const struct prog_refs *refs, uint32_t id);

#endif
