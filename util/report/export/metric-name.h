/* SPDX-License-Identifier: GPL-2.0-only */
/* The names and units of metrics, made from those of events. */
#ifndef PSTAT_REPORT_EXPORT_METRIC_NAME_H
#define PSTAT_REPORT_EXPORT_METRIC_NAME_H

#include <stdbool.h>

#include "util/report/export/metric-page.h"

struct evsel;
struct strbuf;
struct string_set;

/* What an event measures, in the base units of Prometheus. */
struct metric_unit {
	const char *name; /* "seconds", "bytes", ...; "": a number of events */
	enum metric_value value;
	double factor; /* VALUE_NUMBER: multiply the event's count by this */
};

struct metric_unit metric_unit__of(const struct evsel *evsel);

/*
 * Adds @text in lower case. A sequence of characters other than letters and digits becomes one
 * underscore, or nothing if it is at the beginning or at the end.
 */
void metric_name__add_clean(struct strbuf *name, const char *text);

/*
 * Adds the name of the event's family, for example "pstat_cgroup_cpu_clock_seconds" for the prefix
 * "pstat_cgroup_". @left_out are bits of enum left_out: the name then contains the modifier of the
 * parts that are counted, as in the output of `pstat stat`. If @nr is greater than 1, it is added
 * before the unit, because OpenMetrics requires the unit at the end.
 */
void metric_name__add(struct strbuf *name, const char *prefix, const struct evsel *evsel,
		      unsigned int left_out, int nr);

/* Is @name equal to @other, or to @other with one of the endings that names of samples have? */
bool metric_name__extends(const char *name, const char *other);

#endif
