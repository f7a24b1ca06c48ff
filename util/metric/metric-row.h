/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics in a row of a report: values that are printed after the count of an event. */
#ifndef PSTAT_METRIC_ROW_H
#define PSTAT_METRIC_ROW_H

#include <stdbool.h>

/* The importance of a metric's value, which determines its colour on a terminal. */
enum metric_level {
	METRIC_PLAIN,
	METRIC_NOTABLE,
	METRIC_HIGH,
	METRIC_SEVERE,
	METRIC_GOOD, /* the result of the expression metric_def.threshold is 0 */
	METRIC_BAD,  /* the result of this expression is any other number */
};

struct row_metric {
	const char *unit;    /* for example "insn per cycle"; not owned */
	const char *heading; /* printed above the metric; NULL: none; not owned */
	bool has_value;	     /* false: there is no value, for example because the divisor is 0 */
	/* from a metric set (metric-set.h), so text and CSV show its unit even without a value */
	bool asked_for;
	/* omitted in CSV and JSON, because scripts expect only one metric in the row */
	bool only_text;
	double value;
	int width; /* width of the printed value, without the suffix */
	int decimals;
	char suffix; /* '%', ' ' or NUL; printed after the value, in the same column */
	enum metric_level level;
};

/*
 * The metrics in the row of an event. Before adding metrics, zero the struct, and set `counted` if
 * the event was counted.
 */
struct metric_row {
	bool counted;
	struct row_metric *metrics;
	int nr;
};

/* Adds @metric, whose strings must outlive the row. Returns 0 or -ENOMEM. */
int metric_row__add(struct metric_row *row, const struct row_metric *metric);

#endif
