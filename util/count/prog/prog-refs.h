/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many references there are to loaded BPF programs: with none but pstat's own left, a program
 * will not run again.
 */
#ifndef PSTAT_COUNT_PROG_REFS_H
#define PSTAT_COUNT_PROG_REFS_H

#include <stdint.h>

struct prog_refs;
struct strbuf;

/*
 * 0 and *@refs; -errno where the kernel does not let them be read, with the reason in @why. Takes
 * some ms: the kernel's BTF is read.
 */
int prog_refs__new(struct prog_refs **refs, struct strbuf *why);
void prog_refs__free(struct prog_refs *refs);

/* Looks at all programs. 0 or -errno. */
int prog_refs__read(struct prog_refs *refs);
/* Of the program @id, when they were read last; 0: it was not there. */
uint64_t prog_refs__of(const struct prog_refs *refs, uint32_t id);

#endif
