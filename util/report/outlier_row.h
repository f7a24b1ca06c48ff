/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of --outliers. Each row except the last shows one outlier: a run of a BPF program or
 * scope, with a count or time that exceeds a threshold. The last row says how many outliers there
 * were, and how many of them were printed, suppressed or lost.
 */
#ifndef PSTAT_REPORT_OUTLIER_ROW_H
#define PSTAT_REPORT_OUTLIER_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "util/report/branch-row.h"
#include "util/report/column.h"

struct branch_names;
struct outlier;
struct outlier_spec;
struct outlier_sums;
struct strbuf;

/* Printed instead of the count of an event that had no counter during the run. */
#define OUTLIER_NOT_COUNTED "<not counted>"

struct outlier_row_count {
	const char *event;
	const char *unit; /* "ns" or "" */
	uint64_t value;
	bool counted; /* false: the event had no counter during the run */
};

/* Owns only the counts and the branches. */
struct outlier_row {
	uint64_t time_ns;  /* the end of the run, in ns since counting began */
	uint64_t begin_ns; /* scopes only: the beginning of the run, in ns since counting began */
	int cpu;
	int pid, tid;
	const char *comm;
	const char *scope; /* NULL: this is a run of a BPF program */
	uint32_t prog_id;
	const char *prog;
	const char *passed; /* the event whose count exceeds the threshold, or "time" */
	struct outlier_row_count *counts;
	int nr_counts;
	bool has_packet; /* packets were requested */
	const uint8_t *packet;
	uint32_t packet_bytes;	     /* bytes in `packet` */
	uint32_t packet_len;	     /* length of the whole packet */
	struct branch_rows branches; /* the branches at the end of the run */
};

struct outlier_foot {
	const char *passed; /* the event to whose counts the threshold applies, or "time" */
	uint64_t all;	    /* runs above the threshold; the sum of the following three members */
	uint64_t streamed;  /* printed */
	uint64_t suppressed;
	uint64_t lost;
	uint32_t rate; /* maximum number of printed runs per second; further runs are suppressed */
};

/*
 * Makes the row of one run. With @no_scale, counts of multiplexed events are not scaled. @names
 * finds the functions of branches. If @names is NULL, the row has no branches. Returns 0 or
 * -ENOMEM. Call outlier_row__free() in both cases.
 */
int outlier_row__make(struct outlier_row *row, const struct outlier *outlier,
		      const struct outlier_spec *spec, bool no_scale, struct branch_names *names);
void outlier_row__free(struct outlier_row *row);
struct outlier_foot outlier_foot__of(const struct outlier_sums *sums,
				     const struct outlier_spec *spec);

/* Columns for CSV and JSON. Text output does not use columns (see util/output/runs.c). */
extern const struct column outlier_row_columns[];
extern const struct column outlier_foot_columns[];

/* Adds the packet's bytes in hexadecimal. @row points to a struct outlier_row. */
void outlier_row__add_packet(const void *row, struct strbuf *sb);

#endif
