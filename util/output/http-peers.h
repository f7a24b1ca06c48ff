/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The connections of a server, and what happens when there are too many. A new connection is always
 * accepted; if this exceeds a limit, the oldest connection that is not waiting for the counting
 * thread is closed. So clients that are slow, silent or hostile lose their connections, but a
 * scrape, which takes milliseconds, succeeds in spite of them. Only the thread of the server uses
 * this.
 */
#ifndef PSTAT_OUTPUT_HTTP_PEERS_H
#define PSTAT_OUTPUT_HTTP_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;
struct http_page;
struct sockaddr;

enum {
	HTTP_PEERS_LIMIT = 96,	       /* connections in all */
	HTTP_PEERS_ADDRESS_LIMIT = 32, /* connections from one IP address */
	HTTP_PEERS_SECONDS = 10,       /* limit for a request and its answer */
};

struct http_peer {
	struct http_peer *next;
	struct http_peer *next_waiting;	   /* in the server's list */
	struct MHD_Connection *connection; /* while the peer waits */
	struct http_page *page;		   /* the answer, a reference; NULL: none yet */
	bool is_waiting; /* for the counting thread, or resumed by it and not answered yet */
	bool is_local;	 /* on this machine */
	bool is_closing; /* because of a limit */
	int fd;
	uint64_t since;	     /* when the connection or its last request began, CLOCK_MONOTONIC */
	uint8_t address[17]; /* the address family and the IP address; zeros: a Unix socket */
};

struct http_peers {
	struct http_peer *first; /* the newest */
};

/*
 * Adds a connection that has been accepted, and closes another if there are too many. Returns NULL
 * if memory runs out.
 */
struct http_peer *http_peers__add(struct http_peers *peers, int fd, const struct sockaddr *address);
/* Removes a connection, before its fd is closed. */
void http_peers__remove(struct http_peers *peers, struct http_peer *peer);

/* Closes connections that have exceeded HTTP_PEERS_SECONDS. */
void http_peers__close_late(struct http_peers *peers);
/* Closes the oldest connection to which a page is being sent. */
void http_peers__close_oldest_page(struct http_peers *peers);

#endif
