/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The listening socket of a server. Its address is HOST:PORT or unix:PATH. HOST must be a numeric
 * address. For a name, getaddrinfo() would load libraries and might wait for the network, and a
 * name can have several addresses.
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
	char *path; /* path of the Unix socket that http_listener__open() created, or NULL */
	/*
	 * these three members identify the file of the socket; the time is needed because file
	 * systems reuse inode numbers
	 */
	dev_t dev;
	ino_t ino;
	struct timespec made;
};

#define HTTP_LISTENER_INIT \
	{                  \
		.fd = -1   \
	}

/* Checks the argument of --listen. Returns 0, -EINVAL with the reason in @why, or -ENOMEM. */
int http_listener__check(const char *text, struct strbuf *why);

/*
 * Listens on the address @text. If the port is 0, the kernel chooses a free port. A Unix socket is
 * created with mode 0660. For this, the function changes the umask temporarily, so other threads
 * must not create files during this call. An existing file is replaced only if it is a socket that
 * belongs to the effective user and on which nobody listens. Returns 0, or a negative errno with
 * the reason in @why. In both cases, the caller must call http_listener__close().
 */
int http_listener__open(struct http_listener *listener, const char *text, struct strbuf *why);

/*
 * Makes @listener the owner of the listening socket @fd. Returns 0 or -ENOMEM. In both cases, the
 * caller must call http_listener__close().
 */
int http_listener__adopt(struct http_listener *listener, int fd);

/*
 * Closes the socket. If http_listener__open() created a Unix socket, removes its file, unless
 * another process has replaced this file.
 */
void http_listener__close(struct http_listener *listener);

#endif
