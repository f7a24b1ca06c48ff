/* SPDX-License-Identifier: GPL-2.0-only */
/* What the rows of a profile have in common, whatever code they stand for: an event and samples. */
#ifndef PSTAT_REPORT_PROFILE_SUMS_H
#define PSTAT_REPORT_PROFILE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/count/profile/sample-table.h"
#include "util/report/column.h"

struct counts_set;
struct profile_totals;
struct sampling;

/* What rows are made of. */
struct profile_source {
	const struct sampling *sampling; /* and its profile */
	const struct counts_set *counts; /* the events' own counts */
	bool is_interval;		 /* samples since the last profile__mark() instead of all samples */
	uint64_t time_ns;		 /* when the interval ended */
};

/* The samples at @place of the profile's table. */
struct sample_sum profile_source__at(const struct profile_source *from, uint32_t place);

/* The first member of each row of a profile. */
struct row_event {
	int nr; /* index of the event */
	const char *name;
};

struct row_event row_event__of(const struct profile_source *from, int event);

/* The first member of a row that stands for code. */
struct profile_sums {
	struct row_event event;
	struct sample_sum self;	   /* samples in the code itself */
	struct sample_sum total;   /* samples in the code and in what it called */
	double share, total_share; /* percent of the weight of all kept samples of the event */
};

/*
 * Sorts @nr rows of @size bytes by @compare, and merges those that it finds equal: their samples
 * are added up. Returns the number of rows that are left.
 */
int profile_sums__merge(void *rows, int nr, size_t size, int (*compare)(const void *left, const void *right));
/* Fills in the shares. @totals: [event]. */
void profile_sums__share_out(void *rows, int nr, size_t size, const struct profile_totals *totals);
/* Order rows by event, then the larger sum first: the total, or self. Return 0 if both are equal. */
int profile_sums__by_total(const struct profile_sums *a, const struct profile_sums *b);
int profile_sums__by_self(const struct profile_sums *a, const struct profile_sums *b);

/* Returns the name of a file without its folders. */
const char *profile_base_name(const char *path);

/* Columns for programs: what kind of row it is, and the event. */
#define PROFILE_KIND_COLUMNS(kind_name) \
	COLUMN_BY(IN_DATA, "kind", COLUMN_WORD, .word = (kind_name)), COLUMN(IN_DATA, "event", struct row_event, name)

#define PROFILE_SELF_COLUMNS                                                   \
	COLUMN(IN_DATA, "share", struct profile_sums, share),                  \
		COLUMN(IN_DATA, "samples", struct profile_sums, self.samples), \
		COLUMN(IN_DATA, "weight", struct profile_sums, self.weight)

#define PROFILE_TOTAL_COLUMNS                                                         \
	COLUMN(IN_DATA, "total-share", struct profile_sums, total_share),             \
		COLUMN(IN_DATA, "total-samples", struct profile_sums, total.samples), \
		COLUMN(IN_DATA, "total-weight", struct profile_sums, total.weight)

/* Columns of tables. */
#define PROFILE_TABLE_COLUMNS(...)                                                                        \
	COLUMN(IN_TABLE, "total", struct profile_sums, total_share, .width = 8, __VA_ARGS__),             \
		COLUMN(IN_TABLE, "samples", struct profile_sums, total.samples, .width = 8, __VA_ARGS__), \
		COLUMN(IN_TABLE, "self", struct profile_sums, share, .width = 8, __VA_ARGS__),            \
		COLUMN(IN_TABLE, "samples", struct profile_sums, self.samples, .width = 8, __VA_ARGS__)

#endif
