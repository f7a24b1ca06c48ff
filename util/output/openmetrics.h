/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes metrics in the formats that Prometheus reads. */
#ifndef PSTAT_OUTPUT_OPENMETRICS_H
#define PSTAT_OUTPUT_OPENMETRICS_H

struct metric_page;
struct strbuf;

enum metric_format {
	FORMAT_OPENMETRICS,	/* OpenMetrics 1.0, which Prometheus prefers by default */
	FORMAT_PROMETHEUS_TEXT, /* Prometheus text 0.0.4, for example for --textfile */
	METRIC_FORMAT_NR,
};

/* The value of the header Content-Type for each format. */
extern const char *const metric_format_types[METRIC_FORMAT_NR];

/*
 * Adds the text of @page in the given format to @text. strbuf__failed(text) returns true if memory
 * ran out.
 */
void openmetrics__add(const struct metric_page *page, enum metric_format format,
		      struct strbuf *text);

#endif
