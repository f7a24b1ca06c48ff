/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples in BPF programs as rows: one for each source line, or function without known lines. */
#ifndef PSTAT_REPORT_PROFILE_LINES_H
#define PSTAT_REPORT_PROFILE_LINES_H

#include <stdint.h>

#include "util/report/profile/profile-sums.h"

/* Strings are not owned. The total includes helpers, other kernel functions, and BPF functions. */
struct profile_line {
	struct profile_sums sums;
	int prog; /* index of the program */
	uint32_t prog_id;
	const char *prog_name, *func;
	const char *file, *text; /* "" if unknown */
	uint32_t line;		 /* 0: unknown */
};

struct profile_lines {
	int nr;
	struct profile_line *rows; /* by event, then the largest total first; none without samples */
};

extern const struct column profile_line_columns[];

/* Returns 0 and @lines, or -ENOMEM. */
int profile_lines__make(const struct profile_source *from, const struct profile_totals *totals,
			struct profile_lines *lines);
void profile_lines__free(struct profile_lines *lines);

#endif
