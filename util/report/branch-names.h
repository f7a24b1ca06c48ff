/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions and source lines of branches: of the kernel, of BPF programs, and of processes that
 * still exist when the first of their branches is looked up.
 */
#ifndef PSTAT_REPORT_BRANCH_NAMES_H
#define PSTAT_REPORT_BRANCH_NAMES_H

#include <stdint.h>
#include <sys/types.h>

struct branch_names;
struct strbuf;

/* Reads nothing yet. Returns NULL if memory ran out. */
struct branch_names *branch_names__new(void);
void branch_names__free(struct branch_names *names);

/*
 * Adds to @place the function at @address and the offset in it, or the address if the function is
 * not known, and to @line "file:line" if it is known. @pid: the process that executed the code.
 * @prog_id: the BPF program whose code may be there; 0: none. Returns 0 or -ENOMEM.
 */
int branch_names__add(struct branch_names *names, uint64_t address, pid_t pid, uint32_t prog_id,
		      struct strbuf *place, struct strbuf *line);

#endif
