/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics of one row of a report: the values that are shown after an event's count. */
#ifndef PSTAT_METRIC_ROW_H
#define PSTAT_METRIC_ROW_H

#include <stdbool.h>

/* How loud a metric is: a terminal may show it in colour. */
enum metric_level {
	METRIC_PLAIN,
	METRIC_NOTABLE,
	METRIC_HIGH,
	METRIC_SEVERE,
	METRIC_GOOD, /* below the threshold of its definition */
	METRIC_BAD,  /* above it */
};

struct row_metric {
	const char *unit;    /* "insn per cycle"; not owned */
	const char *heading; /* printed above it; not owned; NULL without */
	bool has_value;	     /* false: there was nothing to divide by, and only the unit is known */
	bool asked_for;	     /* by name: it is shown even without a value */
	double value;
	int width; /* of the figure for people, without the suffix */
	int decimals;
	char suffix; /* '%', ' ' or NUL: printed after the figure for people, in its column */
	enum metric_level level;
};

/* Zeroed, it has no metrics. */
struct metric_row {
	double value; /* the event's count in the unit of the row */
	bool counted;
	struct row_metric *metrics;
	int nr;
};

/* Adds @metric. Its strings must live as long as the row. Returns 0 or -ENOMEM. */
int metric_row__add(struct metric_row *row, const struct row_metric *metric);

#endif
