/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serves metrics at /metrics, in two formats, to Prometheus and similar programs. A page contains
 * all metrics in one format.
 *
 *     counting thread                     server's thread (libmicrohttpd)
 *                                         GET /metrics: is there a fresh page?
 *     http_server__fd() is readable  <--- no: suspend the connection
 *     http_server__wanted(), read the
 *     counters, build the page
 *     http_server__serve()           ---> resume the suspended connections, send the page
 *
 * The server's thread does all work on connections, so no client can delay the counting thread. The
 * threads share the newest pages and the lists of waiting connections. All signals are blocked in
 * the server's thread.
 */
#ifndef PSTAT_OUTPUT_HTTP_SERVER_H
#define PSTAT_OUTPUT_HTTP_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "util/output/http-accept.h"
#include "util/output/http-peers.h"

struct http_listener;
struct http_server;
struct strbuf;

/*
 * the maximum number of open connections; when it is reached, libmicrohttpd accepts no new
 * connection until an open connection is closed
 */
#define HTTP_SERVER_CONNECTIONS (HTTP_PEERS_LIMIT + 32)
/* the maximum number of fds of a server: the connections, and 8 other fds */
#define HTTP_SERVER_FILES (HTTP_SERVER_CONNECTIONS + 8)

/*
 * Loads libmicrohttpd, and starts a server on @listener. The caller still owns @listener. Returns
 * 0, or a negative errno with the reason in @why.
 */
int http_server__new(const struct http_listener *listener, struct strbuf *why,
		     struct http_server **server);
/*
 * Answers all waiting requests with an error, closes all connections, and ends the server's thread.
 */
void http_server__free(struct http_server *server);

/* Returns an fd that becomes readable when a request waits for a page. */
int http_server__fd(const struct http_server *server);
/*
 * Returns a bit mask of the formats (1 << FORMAT_...) for which requests are waiting. After this
 * call, the fd is not readable until another request begins to wait. Releases the previous pages of
 * these formats, to save memory while the next pages are made.
 */
unsigned int http_server__wanted(struct http_server *server);

/*
 * Sends the page @bytes to all clients that wait for @format. @bytes must come from malloc(). The
 * server frees @bytes, even on error. Until @fresh_until (CLOCK_MONOTONIC, in ns), the server also
 * answers new requests with this page. Returns 0, or -ENOMEM after answering the requests with an
 * error.
 */
int http_server__serve(struct http_server *server, enum metric_format format, char *bytes,
		       size_t len, uint64_t fresh_until);
/* Answers all waiting requests with status 503. Call this if there are no counts. */
void http_server__fail(struct http_server *server);

#endif
