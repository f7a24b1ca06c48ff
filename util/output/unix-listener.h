/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unix sockets for http-listener.h. Before pstat replaces the file of a socket on which nobody
 * listens, it tries to lock the directory, so that two processes do not replace the same file.
 */
#ifndef PSTAT_OUTPUT_UNIX_LISTENER_H
#define PSTAT_OUTPUT_UNIX_LISTENER_H

struct http_listener;
struct strbuf;

int unix_listener__check(const char *path, struct strbuf *why);
int unix_listener__open(struct http_listener *listener, const char *path, int backlog,
			struct strbuf *why);
/* Removes the file of @listener unless another process has replaced it. */
void unix_listener__remove(const struct http_listener *listener);

#endif
