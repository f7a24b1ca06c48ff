/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of a server's connections, and the limits on their number and duration. If a new
 * connection is one too many from its client's address, the server closes the oldest connection
 * from this address. Otherwise, if there are too many connections in all, the server closes the
 * oldest of all. The age of a connection is the time since it was opened or last used. The server
 * does not close connections that wait for the counting thread, which reads the counters and makes
 * the pages. The limits are meant for clients that are slow, silent or hostile. A request from
 * Prometheus takes only milliseconds, so its connection is rarely the oldest. Only the server's
 * thread calls these functions.
 */
#ifndef PSTAT_OUTPUT_HTTP_PEERS_H
#define PSTAT_OUTPUT_HTTP_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;
struct http_page;
struct sockaddr;

enum {
	HTTP_PEERS_LIMIT = 96,	       /* all connections */
	HTTP_PEERS_ADDRESS_LIMIT = 32, /* connections from one IP address */
	HTTP_PEERS_SECONDS = 10,       /* the maximum time for a request and its answer */
};

/* A connection. */
struct http_peer {
	struct http_peer *next;
	struct http_peer *next_waiting;	   /* the next peer in http_server.waiting */
	struct MHD_Connection *connection; /* valid while `is_waiting` is set */
	/* a reference to the page that is sent as the answer; NULL: there is none yet */
	struct http_page *page;
	/*
	 * set when the connection is suspended to wait for a page; stays set after the connection
	 * has been resumed, until the request is answered or ends
	 */
	bool is_waiting;
	bool is_local;	 /* the client has a loopback address, or uses a Unix socket */
	bool is_closing; /* the server is closing the connection because of a limit */
	int fd;
	uint64_t since;	     /* when opened or last used (CLOCK_MONOTONIC, in ns) */
	uint8_t address[17]; /* the address family and the IP address; zeros: a Unix socket */
};

struct http_peers {
	struct http_peer *first; /* the newest */
};

/*
 * Adds an accepted connection. If there are now too many connections, closes another one. Also
 * calls http_peers__close_late(). Returns NULL if memory runs out.
 */
struct http_peer *http_peers__add(struct http_peers *peers, int fd, const struct sockaddr *address);
/* Removes a connection. Call this before its fd is closed. */
void http_peers__remove(struct http_peers *peers, struct http_peer *peer);

/* Closes all connections older than HTTP_PEERS_SECONDS, except those with `is_waiting`. */
void http_peers__close_late(struct http_peers *peers);
/* Closes the oldest of the connections to which the server is sending a page. */
void http_peers__close_oldest_page(struct http_peers *peers);

#endif
