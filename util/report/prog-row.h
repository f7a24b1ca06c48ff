/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of `pstat progs`. Each row describes a loaded BPF program. */
#ifndef PSTAT_REPORT_PROG_ROW_H
#define PSTAT_REPORT_PROG_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "util/report/column.h"

struct bpf_prog;
struct bpf_prog_facts;
struct prog_holders;

/* Owns none of the objects to which the members point. */
struct prog_row {
	const struct bpf_prog *prog;
	const struct bpf_prog_facts *facts;
	uint32_t id, uid; /* the members from `id` to `misses` are copied from `prog` and `facts` */
	const char *name;
	uint64_t run_cnt, run_time_ns, misses;
	/* shared by all rows: the processes that hold each program */
	const struct prog_holders *processes;
	/* shared by all rows: the prog arrays that contain each program */
	const struct prog_holders *arrays;
	/* kernel.bpf_stats_enabled is set, so the kernel updates run_cnt and run_time_ns */
	bool runs_are_kept;
	bool is_countable;
	const char *why_not; /* the reason why the program cannot be counted, or NULL */
	/* the kernel's statistics can provide the number and total time of the program's runs */
	bool has_stats;
	uint32_t replaced_by; /* id of the freplace program that replaces this program, or 0 */
};

extern const struct column prog_row_columns[];

#endif
