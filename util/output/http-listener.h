/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The listening socket of a server: HOST:PORT, where HOST is a numeric address, or unix:PATH. Host
 * names are not resolved, because getaddrinfo() loads libraries and can wait for the network, and
 * because a name may have several addresses.
 */
#ifndef PSTAT_OUTPUT_HTTP_LISTENER_H
#define PSTAT_OUTPUT_HTTP_LISTENER_H

#include <sys/types.h>
#include <time.h>

struct strbuf;

/* IANA has not assigned port 9736, and no exporter in Prometheus's list of ports uses it. */
#define HTTP_LISTENER_DEFAULT "127.0.0.1:9736"

struct http_listener {
	int fd;	    /* -1: closed */
	char *text; /* for messages: "http://127.0.0.1:9736", "unix:/run/pstat.sock" */
	char *path; /* path of the Unix socket that was created; otherwise NULL */
	/* identify the file of the socket; inode numbers are reused, so the time is needed */
	dev_t dev;
	ino_t ino;
	struct timespec made;
};

#define HTTP_LISTENER_INIT \
	{                  \
		.fd = -1   \
	}

/* Checks the argument of --listen. Returns 0, or -EINVAL with the reason in @why. */
int http_listener__check(const char *text, struct strbuf *why);

/*
 * Listens on @text. Port 0 means any free port. A Unix socket is created with mode 0660. This
 * changes the umask temporarily, so no other thread may create files. An existing file is replaced
 * only if it is a socket that belongs to the effective user and on which nobody listens. Returns 0,
 * or a negative errno with the reason in @why. Close @listener in both cases.
 */
int http_listener__open(struct http_listener *listener, const char *text, struct strbuf *why);

/* Makes @listener the owner of the listening socket @fd. Returns 0 or -ENOMEM. */
int http_listener__adopt(struct http_listener *listener, int fd);

/* Closes the socket. Removes its file unless another process has replaced it. */
void http_listener__close(struct http_listener *listener);

#endif
