/* SPDX-License-Identifier: GPL-2.0-only */
/* A single run of a BPF program as it is shown (--outliers), and what became of all of them. Nothing is owned. */
#ifndef PSTAT_REPORT_OUTLIER_ROW_H
#define PSTAT_REPORT_OUTLIER_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "util/report/column.h"

struct strbuf;

/* In place of a count of an event that had no counter during the run. */
#define OUTLIER_NOT_COUNTED "<not counted>"

struct outlier_row_count {
	const char *event;
	const char *unit; /* "ns" or "" */
	uint64_t value;
	bool counted; /* else it had no counter during the run */
};

struct outlier_row {
	uint64_t time_ns; /* since the start of the count */
	int cpu;
	int pid, tid;
	const char *comm;
	uint32_t prog_id;
	const char *prog;
	const char *passed; /* the event that it was chosen by */
	const struct outlier_row_count *counts;
	int nr_counts;
	bool has_packet; /* packets were asked for */
	const uint8_t *packet;
	uint32_t packet_bytes; /* there are of it */
	uint32_t packet_len;   /* it had */
};

struct outlier_foot {
	const char *passed; /* as above */
	uint64_t all;	    /* runs that have passed: the sum of the others */
	uint64_t streamed;
	uint64_t suppressed;
	uint64_t lost;
	uint32_t rate; /* by which they were suppressed, a second */
};

/* Columns for programs; tables of single runs have lines of their own (util/output/runs.c). */
extern const struct column outlier_row_columns[];
extern const struct column outlier_foot_columns[];

/* Adds the packet's bytes in hexadecimal. @row: struct outlier_row */
void outlier_row__add_packet(const void *row, struct strbuf *sb);

#endif
