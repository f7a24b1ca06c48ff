/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the format and the encoding that a request asks for (RFC 9110, section 12.5). */
#ifndef PSTAT_OUTPUT_HTTP_ACCEPT_H
#define PSTAT_OUTPUT_HTTP_ACCEPT_H

#include <stdbool.h>

#include "util/output/openmetrics.h"

/*
 * @accept is the value of the header Accept, or NULL. Returns whichever of the two formats of
 * openmetrics.h has the higher weight (q) in @accept. A malformed weight counts as 0, and other
 * malformed parts are ignored. If @accept is NULL or the weights are equal, returns
 * FORMAT_PROMETHEUS_TEXT, because browsers display this format.
 */
enum metric_format http_accept__format(const char *accept);

/*
 * @encodings is the value of the header Accept-Encoding, or NULL. Returns whether the header allows
 * gzip; without the header, returns false.
 */
bool http_accept__gzip(const char *encodings);

#endif
