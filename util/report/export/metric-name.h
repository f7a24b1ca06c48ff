/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the names and units of metrics from the names and units of events. A metric family is a
 * metric with all its samples (metric-page.h).
 */
#ifndef PSTAT_REPORT_EXPORT_METRIC_NAME_H
#define PSTAT_REPORT_EXPORT_METRIC_NAME_H

#include <stdbool.h>

#include "util/report/export/metric-page.h"

struct evsel;
struct strbuf;
struct string_set;

/* An event's unit, converted to a base unit of Prometheus. */
struct metric_unit {
	const char *name; /* "seconds", "bytes", ...; "": another unit, or none */
	enum metric_value value;
	double factor; /* VALUE_NUMBER: multiply the event's count by this */
};

struct metric_unit metric_unit__of(const struct evsel *evsel);

/*
 * Adds @text in lower case. Replaces each sequence of characters other than letters and digits with
 * one underscore, but omits such characters at the beginning and the end. If @text contains no
 * letters or digits, adds "event".
 */
void metric_name__add_clean(struct strbuf *name, const char *text);

/*
 * Adds the name of the event's metric family, for example "pstat_cgroup_cpu_clock_seconds" for the
 * prefix "pstat_cgroup_". @left_out contains bits of enum left_out: what the event does not count,
 * such as the kernel. If @left_out is not 0, the name contains the modifier that has this effect,
 * such as "u". If @nr is greater than 1, adds @nr before the unit, because OpenMetrics requires the
 * unit at the end. The caller increases @nr from 1 until the name is unique.
 */
void metric_name__add(struct strbuf *name, const char *prefix, const struct evsel *evsel,
		      unsigned int left_out, int nr);

/*
 * Returns whether @name is @other, or @other with a suffix that samples can have, such as "_total".
 */
bool metric_name__extends(const char *name, const char *other);

#endif
