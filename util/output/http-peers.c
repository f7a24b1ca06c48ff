// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/http-peers.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/base/clock.h"
#include "util/output/http-page.h"

/*
 * Shuts the connection down. libmicrohttpd notices this, and closes the connection. The kernel then
 * drops the data in the socket's send buffer.
 */
static void close_peer(struct http_peer *peer)
{
	const struct linger drop = { .l_onoff = 1 };

	if (!peer)
		return;
	setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &drop, sizeof(drop));
	shutdown(peer->fd, SHUT_RDWR);
	peer->is_closing = true;
}

static bool can_close(const struct http_peer *peer)
{
	return !peer->is_closing && !peer->is_waiting;
}

/*
 * Stores the client's address, and sets `is_local`. An IPv4-mapped IPv6 address is stored as an
 * IPv4 address.
 */
static void set_address(struct http_peer *peer, const struct sockaddr *address)
{
	static const uint8_t loopback[16] = { [15] = 1 };
	const struct sockaddr_in6 *v6 = (const void *)address;
	const struct sockaddr_in *v4 = (const void *)address;
	uint8_t *bytes = peer->address + 1;

	peer->is_local = true;
	if (address && address->sa_family == AF_INET) {
		peer->address[0] = AF_INET;
		memcpy(bytes, &v4->sin_addr, 4);
	} else if (address && address->sa_family == AF_INET6 &&
		   IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		peer->address[0] = AF_INET;
		memcpy(bytes, v6->sin6_addr.s6_addr + 12, 4);
	} else if (address && address->sa_family == AF_INET6) {
		peer->address[0] = AF_INET6;
		memcpy(bytes, &v6->sin6_addr, 16);
		peer->is_local = !memcmp(bytes, loopback, sizeof(loopback));
	}
	if (peer->address[0] == AF_INET)
		peer->is_local = bytes[0] == 127;
}

/*
 * If there are too many connections from the address of @newest, closes the oldest of them.
 * Otherwise, closes the oldest connection if there are too many in all. Compares all connections,
 * because the list is not sorted by age: each request sets the age of its connection to zero.
 */
static void limit(struct http_peers *peers, const struct http_peer *newest)
{
	struct http_peer *oldest = NULL, *same = NULL;
	int nr = 0, nr_same = 0;

	for (struct http_peer *peer = peers->first; peer; peer = peer->next) {
		bool is_same = newest->address[0] &&
			       !memcmp(peer->address, newest->address, sizeof(newest->address));

		if (peer->is_closing)
			continue;
		nr++;
		nr_same += is_same;
		if (!can_close(peer) || peer == newest)
			continue;
		if (!oldest || peer->since <= oldest->since)
			oldest = peer;
		if (is_same && (!same || peer->since <= same->since))
			same = peer;
	}
	if (nr_same > HTTP_PEERS_ADDRESS_LIMIT)
		close_peer(same);
	else if (nr > HTTP_PEERS_LIMIT)
		close_peer(oldest);
}

struct http_peer *http_peers__add(struct http_peers *peers, int fd, const struct sockaddr *address)
{
	struct http_peer *peer = calloc(1, sizeof(*peer));

	if (!peer)
		return NULL;
	peer->fd = fd;
	peer->since = clock__now();
	set_address(peer, address);
	peer->next = peers->first;
	peers->first = peer;
	limit(peers, peer);
	http_peers__close_late(peers);
	return peer;
}

void http_peers__remove(struct http_peers *peers, struct http_peer *peer)
{
	struct http_peer **link = &peers->first;

	while (*link && *link != peer)
		link = &(*link)->next;
	if (*link)
		*link = peer->next;
	http_page__put(peer->page);
	free(peer);
}

void http_peers__close_late(struct http_peers *peers)
{
	uint64_t now = clock__now();

	for (struct http_peer *peer = peers->first; peer; peer = peer->next)
		if (can_close(peer) && now - peer->since > HTTP_PEERS_SECONDS * NSEC_PER_SEC)
			close_peer(peer);
}

void http_peers__close_oldest_page(struct http_peers *peers)
{
	struct http_peer *oldest = NULL;

	for (struct http_peer *peer = peers->first; peer; peer = peer->next)
		if (can_close(peer) && peer->page && (!oldest || peer->since <= oldest->since))
			oldest = peer;
	close_peer(oldest);
}
