/* SPDX-License-Identifier: GPL-2.0-only */
/* Which format and encoding of a page a request asks for (RFC 9110, section 12.5). */
#ifndef PSTAT_OUTPUT_HTTP_ACCEPT_H
#define PSTAT_OUTPUT_HTTP_ACCEPT_H

#include <stdbool.h>

#include "util/output/openmetrics.h"

/*
 * Returns the format that the value of Accept prefers. @accept may be NULL. Malformed parts of it
 * are ignored. If both formats are equally good, or neither is acceptable, returns
 * FORMAT_PROMETHEUS_TEXT, which both Prometheus and people can read.
 */
enum metric_format http_accept__format(const char *accept);

/* Returns whether the value of Accept-Encoding, which may be NULL, allows gzip. */
bool http_accept__gzip(const char *encodings);

#endif
