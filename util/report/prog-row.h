/* SPDX-License-Identifier: GPL-2.0-only */
/* A loaded BPF program, as `pstat progs` lists it. */
#ifndef PSTAT_REPORT_PROG_ROW_H
#define PSTAT_REPORT_PROG_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "util/report/column.h"

struct bpf_prog;
struct bpf_prog_facts;
struct prog_holders;

/* Nothing is owned. */
struct prog_row {
	const struct bpf_prog *prog;
	const struct bpf_prog_facts *facts;
	uint32_t id, uid; /* those of the program and its facts, as are the following four */
	const char *name;
	uint64_t run_cnt, run_time_ns, misses;
	const struct prog_holders *processes; /* that hold programs */
	const struct prog_holders *arrays;    /* prog arrays with programs in them */
	bool runs_are_kept;		      /* now; otherwise, figures are of an earlier time */
	bool is_countable;
	const char *why_not;  /* why it is not countable here, or NULL */
	bool has_stats;	      /* at least its runs and their time can be counted */
	uint32_t replaced_by; /* id of the freplace program that replaces it; 0: it runs itself */
};

extern const struct column prog_row_columns[];

#endif
