/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the functions and source lines of the addresses in recorded branches. An address can be in
 * the kernel, in a BPF program, or in a process. The functions of a process are known only if the
 * process still exists when its first branch is looked up.
 */
#ifndef PSTAT_REPORT_BRANCH_NAMES_H
#define PSTAT_REPORT_BRANCH_NAMES_H

#include <stdint.h>
#include <sys/types.h>

struct branch_names;
struct strbuf;

/* Symbols are read only when a branch first needs them. Returns NULL if memory ran out. */
struct branch_names *branch_names__new(void);
void branch_names__free(struct branch_names *names);

/*
 * Adds to @place the name of the function that contains @address, or @address itself if the
 * function is unknown. For functions of the kernel and of BPF programs, also adds the offset in the
 * function. Adds "file:line" to @line if the line is known. @pid is the process that executed the
 * code. @prog_id is the BPF program that may contain @address (0: none). Returns 0 or -ENOMEM.
 */
int branch_names__add(struct branch_names *names, uint64_t address, pid_t pid, uint32_t prog_id,
		      struct strbuf *place, struct strbuf *line);

#endif
