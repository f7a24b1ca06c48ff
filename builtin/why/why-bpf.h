/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out whether the events and BPF programs of a command line can be counted through BPF, and
 * if not, why.
 */
#ifndef PSTAT_BUILTIN_WHY_BPF_H
#define PSTAT_BUILTIN_WHY_BPF_H

#include <stdbool.h>

#include "util/report/column.h"

struct stat_options;
struct strbuf;

/*
 * The result for a way of counting through BPF (for example --scope), or for a program of -b.
 */
struct why_bpf_row {
	const char *what;
	bool works;
	const char *cause, *remedy; /* each is NULL if it is unknown or if `works` is set */
};

extern const struct column why_bpf_columns[];

void why_bpf_row__add_text(const struct why_bpf_row *row, struct strbuf *sb);

typedef void (*why_bpf_fn)(void *ctx, const struct why_bpf_row *row);

/*
 * Calls @fn for each way of counting through BPF that the events of @options need. If all these
 * ways work, and nothing is sampled, also calls @fn for each program of -b. Returns 0, or -errno
 * after storing the reason in @why.
 */
int why_bpf__each(const struct stat_options *options, why_bpf_fn fn, void *ctx, struct strbuf *why);

#endif
