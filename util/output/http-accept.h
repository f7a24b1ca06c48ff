/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the format and the encoding that a request asks for (RFC 9110, section 12.5). */
#ifndef PSTAT_OUTPUT_HTTP_ACCEPT_H
#define PSTAT_OUTPUT_HTTP_ACCEPT_H

#include <stdbool.h>

#include "util/output/openmetrics.h"

/*
 * Returns the format that @accept, the value of the header Accept, prefers. @accept may be NULL.
 * Malformed parts are ignored. If both formats are equally good, or neither is acceptable, returns
 * FORMAT_PROMETHEUS_TEXT, which browsers display.
 */
enum metric_format http_accept__format(const char *accept);

/* Returns whether @encodings, the value of Accept-Encoding or NULL, allows gzip. */
bool http_accept__gzip(const char *encodings);

#endif
