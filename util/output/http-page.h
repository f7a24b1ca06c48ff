/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page (the metrics in one format) with a reference count. The same page can be sent on any
 * number of connections at the same time. The thread that reads the counters creates pages. Any
 * thread may take and release references. Only the server's thread calls http_page__response().
 */
#ifndef PSTAT_OUTPUT_HTTP_PAGE_H
#define PSTAT_OUTPUT_HTTP_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/output/http-accept.h"

struct MHD_Response;
struct http_page;
struct libmicrohttpd;

/*
 * Makes a page with one reference. @bytes must come from malloc(); this function takes ownership of
 * @bytes, even on error. *@held is the total size in bytes of all existing pages and of their
 * compressed copies; this function adds @len to *@held. The server may answer new requests with the
 * page until @fresh_until (CLOCK_MONOTONIC, in ns). Returns NULL if memory runs out.
 */
struct http_page *http_page__new(const struct libmicrohttpd *mhd, enum metric_format format,
				 char *bytes, size_t len, uint64_t fresh_until,
				 atomic_size_t *held);
struct http_page *http_page__get(struct http_page *page);
void http_page__put(struct http_page *page); /* NULL is allowed */

uint64_t http_page__fresh_until(const struct http_page *page);
/*
 * Returns the response that sends the page, compressed if @gzip is true. The page owns the
 * response. If the compression fails, returns the uncompressed response.
 */
struct MHD_Response *http_page__response(struct http_page *page, bool gzip);

#endif
