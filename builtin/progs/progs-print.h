/* SPDX-License-Identifier: GPL-2.0-only */
/* How `pstat progs` shows a program: as a line of a table, or as a JSON object. */
#ifndef PSTAT_BUILTIN_PROGS_PRINT_H
#define PSTAT_BUILTIN_PROGS_PRINT_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_prog;
struct bpf_prog_facts;
struct prog_holders;
struct strbuf;

/* What there is to say about one program. Nothing is owned. */
struct prog_line {
	const struct bpf_prog *prog;
	const struct bpf_prog_facts *facts;
	bool runs_are_kept;		      /* now; else figures are those of an earlier time */
	const struct prog_holders *processes; /* that hold programs */
	const struct prog_holders *arrays;    /* prog arrays with programs in them */
	const char *why_not;		      /* it cannot be counted here; NULL: it can */
	/* the kernel's statistics can still count its runs and their time */
	bool has_stats;
	/* id of the freplace program that replaces it; 0: it runs itself */
	uint32_t replaced_by;
};

/* Lines with tabs between their columns; the last column is as wide as it is. */
void progs_print__heading(struct strbuf *sb);
void progs_print__text(const struct prog_line *line, struct strbuf *sb);
/* Adds the @lines to @sb with spaces instead, each column as wide as its widest entry. */
void progs_print__align(const char *lines, struct strbuf *sb);

void progs_print__json(const struct prog_line *line, struct strbuf *sb);

#endif
