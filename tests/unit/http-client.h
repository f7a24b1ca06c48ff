/* SPDX-License-Identifier: GPL-2.0-only */
/* A server, the counting thread that it asks, and clients, in one process. */
#ifndef PSTAT_TESTS_HTTP_CLIENT_H
#define PSTAT_TESTS_HTTP_CLIENT_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/strbuf.h"
#include "util/output/http-listener.h"
#include "util/output/http-server.h"

struct http_fixture {
	struct http_listener listener;
	struct http_server *server;
	struct sockaddr_storage address;
	socklen_t address_size;
	size_t page_len;    /* the length of each page */
	uint64_t fresh;	    /* how long a page stays fresh, in ns */
	unsigned int pages; /* the number of pages that were built */
	int patience_ms;
	struct strbuf reply; /* the text that http_fixture__reply() received */
};

/* @address is an argument of --listen. */
static inline bool http_fixture__start(struct http_fixture *fixture, const char *address)
{
	fixture->reply = (struct strbuf)STRBUF_INIT;
	fixture->page_len = 16;
	fixture->patience_ms = 10000;
	fixture->address_size = sizeof(fixture->address);
	return !http_listener__open(&fixture->listener, address, NULL) &&
	       !http_server__new(&fixture->listener, NULL, &fixture->server) &&
	       !getsockname(fixture->listener.fd, (struct sockaddr *)&fixture->address,
			    &fixture->address_size);
}

static inline void http_fixture__stop(struct http_fixture *fixture)
{
	http_server__free(fixture->server);
	http_listener__close(&fixture->listener);
	strbuf__free(&fixture->reply);
}

/* Returns a connection to the server whose reads give up after 10 seconds. */
static inline int http_fixture__connect(const struct http_fixture *fixture)
{
	const struct timeval patience = { .tv_sec = 10 };
	int fd = socket(fixture->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)&fixture->address, fixture->address_size) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		abort();
	return fd;
}

/* Returns false if the server has closed the connection. */
static inline bool http_fixture__send(int fd, const void *bytes, size_t len)
{
	return send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t)len;
}

/* Serves pages that consist of one letter: 'a' in the first page, 'b' in the second, and so on. */
static inline void http_fixture__count(struct http_fixture *fixture)
{
	unsigned int wanted = http_server__wanted(fixture->server);
	uint64_t now = clock__now();
	for (unsigned int format = 0; format < METRIC_FORMAT_NR; format++) {
		char *page = wanted & 1U << format ? malloc(fixture->page_len) : NULL;

		if (!page)
			continue;
		memset(page, 'a' + (char)(fixture->pages++ % 26), fixture->page_len);
		http_server__serve(fixture->server, (enum metric_format)format, page,
				   fixture->page_len, now + fixture->fresh);
	}
}

/*
 * Does the work of the counting thread until the server closes the connection @fd, or has sent
 * @enough bytes if that is not 0. The bytes are in `reply`. Returns false if nothing happened for
 * `patience_ms`.
 */
static inline bool http_fixture__reply(struct http_fixture *fixture, int fd, size_t enough)
{
	struct pollfd fds[] = { { .fd = http_server__fd(fixture->server), .events = POLLIN },
				{ .fd = fd, .events = POLLIN } };
	char bytes[4096];

	strbuf__reset(&fixture->reply);
	while (!enough || fixture->reply.len < enough) {
		int nr = poll(fds, 2, fixture->patience_ms);
		ssize_t len;

		if (nr < 0 && errno == EINTR) /* libFuzzer has a timer */
			continue;
		if (nr <= 0)
			return false;
		if (fds[0].revents)
			http_fixture__count(fixture);
		if (!fds[1].revents)
			continue;
		len = recv(fd, bytes, sizeof(bytes), 0);
		if (len <= 0)
			return true;
		strbuf__add(&fixture->reply, bytes, (size_t)len);
	}
	return true;
}

/* Sends one request on a connection of its own. Returns the complete reply. */
static inline const char *http_fixture__ask(struct http_fixture *fixture, const char *request)
{
	int fd = http_fixture__connect(fixture);
	bool ok = http_fixture__send(fd, request, strlen(request)) &&
		  http_fixture__reply(fixture, fd, 0);

	close(fd);
	return ok ? fixture->reply.text : "no reply";
}

#endif
