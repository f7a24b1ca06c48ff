/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --listen: serves the metrics over HTTP. pstat reads the counters when a client sends a request,
 * but at most once every 100 ms for each of the two formats, and less often if this takes long.
 */
#ifndef PSTAT_BUILTIN_EXPORT_SERVE_H
#define PSTAT_BUILTIN_EXPORT_SERVE_H

struct export_pages;
struct export_serve;
struct measurement;

/*
 * Begins to listen on @address, the argument of --listen. If @address is NULL, uses the socket that
 * the service manager passed, or, without such a socket, the default address. The caller must have
 * blocked the signals that end pstat, so that pstat always removes the file of a Unix socket.
 * Requests wait until export_serve__reading() is called. Returns 0, or the exit code after
 * reporting an error.
 */
int export_serve__new(const char *address, struct export_pages *pages, struct export_serve **serve);
/* Closes all connections. @serve may be NULL. */
void export_serve__free(struct export_serve *serve);

/* Implementations of the functions of the same names in struct session_sink (measurement.h). */
int export_serve__wake_fd(const struct export_serve *serve);
int export_serve__wake(struct export_serve *serve);
int export_serve__reading(struct export_serve *serve, const struct measurement *m);

#endif
