/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts the latest reading of the counters to metrics, and the metrics to text in the format
 * that is requested.
 */
#ifndef PSTAT_BUILTIN_EXPORT_PAGES_H
#define PSTAT_BUILTIN_EXPORT_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "util/output/openmetrics.h"

struct export_options;
struct export_pages;
struct measurement;
struct strbuf;

/* Returns 0 and sets *@pages, or returns the exit code after reporting an error. */
int export_pages__new(const struct export_options *options, struct export_pages **pages);
void export_pages__free(struct export_pages *pages);

/*
 * Converts @m, the latest reading, to metrics. Returns 0, or -errno after reporting the reason.
 */
int export_pages__update(struct export_pages *pages, const struct measurement *m);
/* Returns the time of the latest reading in ns of CLOCK_MONOTONIC, or 0 if there is none. */
uint64_t export_pages__time(const struct export_pages *pages);
/*
 * Returns the metrics of the latest update as text, which is valid until the next update or the
 * next call of export_pages__take_text(). Returns NULL after reporting that memory ran out.
 */
const struct strbuf *export_pages__text(struct export_pages *pages, enum metric_format format);
/* Like export_pages__text(), but also stores the length in *@len. The caller must free the text. */
char *export_pages__take_text(struct export_pages *pages, enum metric_format format, size_t *len);

#endif
