/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics of one row of a report: values that are shown after an event's count. */
#ifndef PSTAT_METRIC_ROW_H
#define PSTAT_METRIC_ROW_H

#include <stdbool.h>

/* Importance of a metric, for colours on a terminal. */
enum metric_level {
	METRIC_PLAIN,
	METRIC_NOTABLE,
	METRIC_HIGH,
	METRIC_SEVERE,
	METRIC_GOOD, /* below the threshold of its definition */
	METRIC_BAD,  /* above the threshold */
};

struct row_metric {
	const char *unit;    /* "insn per cycle"; not owned */
	const char *heading; /* printed above it, or NULL; not owned */
	bool has_value;	     /* false: there was nothing to divide by, so only the unit is known */
	bool asked_for;	     /* requested by name, so it is shown even without a value */
	bool only_text;	     /* left out of CSV and JSON rows, in which scripts expect one metric */
	double value;
	int width; /* of the printed value, without the suffix */
	int decimals;
	char suffix; /* '%', ' ' or NUL; printed after the value, in the same column */
	enum metric_level level;
};

/* A zeroed struct has no metrics. */
struct metric_row {
	bool counted;
	struct row_metric *metrics;
	int nr;
};

/* Adds @metric, whose strings must outlive the row. Returns 0 or -ENOMEM. */
int metric_row__add(struct metric_row *row, const struct row_metric *metric);

#endif
