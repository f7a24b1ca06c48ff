// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/http-listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/output/unix-listener.h"

#define UNIX "unix:"
/* The maximum number of connections that can wait until the server accepts them. */
#define BACKLOG 128

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t size;
};

static bool parse_port(const char *text, in_port_t *port)
{
	unsigned long value;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*port = htons((uint16_t)value);
	return !errno && !*end && value <= 65535;
}

/*
 * Parses @host. Returns false unless @host is an IPv6 address in brackets, or an IPv4 address
 * without brackets.
 */
static bool parse_host(char *host, struct address *address)
{
	size_t len = strlen(host);

	if (host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		address->v6.sin6_family = AF_INET6;
		address->size = sizeof(address->v6);
		return inet_pton(AF_INET6, host + 1, &address->v6.sin6_addr) == 1;
	}
	address->v4.sin_family = AF_INET;
	address->size = sizeof(address->v4);
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

static int refuse(const char *text, const char *what, struct strbuf *why)
{
	return reason__set(why, -EINVAL,
			   "%s: %s\n"
			   "use an address in digits and a port, such as " HTTP_LISTENER_DEFAULT
			   " (this machine only), 0.0.0.0:9736 or [::]:9736 (all networks), or "
			   "unix:/run/pstat.sock",
			   text, what);
}

static int parse(const char *text, struct address *address, struct strbuf *why)
{
	const char *colon = strrchr(text, ':');
	in_port_t port;
	bool is_host;
	char *host;

	*address = (struct address){ 0 };
	if (!colon)
		return refuse(text, "there is no port", why);
	if (!parse_port(colon + 1, &port))
		return refuse(text, "the port is not a number from 0 to 65535", why);
	if (colon == text)
		return refuse(text, "there is no address", why);
	host = strndup(text, (size_t)(colon - text));
	if (!host)
		return -ENOMEM;
	is_host = parse_host(host, address);
	free(host);
	if (!is_host)
		return refuse(text,
			      "this is neither an IPv4 address nor an IPv6 address in brackets",
			      why);
	if (address->any.sa_family == AF_INET6)
		address->v6.sin6_port = port;
	else
		address->v4.sin_port = port;
	return 0;
}

int http_listener__check(const char *text, struct strbuf *why)
{
	struct address address;

	if (!strncmp(text, UNIX, strlen(UNIX)))
		return unix_listener__check(text + strlen(UNIX), why);
	return parse(text, &address, why);
}

/*
 * Stores the address of the socket in listener->text. Asks the kernel for the address, because the
 * kernel has chosen the port if the user gave port 0.
 */
static int describe(struct http_listener *listener)
{
	struct address address = { .size = sizeof(struct sockaddr_in6) };
	char host[INET6_ADDRSTRLEN];
	struct strbuf text = STRBUF_INIT;

	if (getsockname(listener->fd, &address.any, &address.size))
		address.any.sa_family = AF_UNSPEC;
	if (address.any.sa_family == AF_INET &&
	    inet_ntop(AF_INET, &address.v4.sin_addr, host, sizeof(host)))
		strbuf__addf(&text, "http://%s:%d", host, ntohs(address.v4.sin_port));
	else if (address.any.sa_family == AF_INET6 &&
		 inet_ntop(AF_INET6, &address.v6.sin6_addr, host, sizeof(host)))
		strbuf__addf(&text, "http://[%s]:%d", host, ntohs(address.v6.sin6_port));
	else
		strbuf__adds(&text, "the socket of the service manager");
	listener->text = strbuf__detach(&text);
	return listener->text ? 0 : -ENOMEM;
}

static const char *advice(int err)
{
	switch (err) {
	case -EADDRINUSE:
		return "\nanother program listens there (`ss -lntp` shows it)";
	case -EADDRNOTAVAIL:
		return "\nno network interface of this machine has this address";
	case -EACCES:
		return "\nports below 1024 need CAP_NET_BIND_SERVICE";
	default:
		return "";
	}
}

static int open_network(struct http_listener *listener, const char *text, struct strbuf *why)
{
	const int yes = 1;
	struct address address;
	int err = parse(text, &address, why);

	if (err)
		return err;
	listener->fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return reason__store_call(why, -errno, "socket", "%s", text);
	/*
	 * allow pstat to listen while the kernel still has connections of an earlier process on
	 * this port
	 */
	if (setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)))
		return reason__store_call(why, -errno, "setsockopt", "%s", text);
	if (bind(listener->fd, &address.any, address.size) || listen(listener->fd, BACKLOG)) {
		err = -errno;
		return reason__set(why, err, "cannot listen on %s: %s%s", text, strerror(-err),
				   advice(err));
	}
	return describe(listener);
}

int http_listener__open(struct http_listener *listener, const char *text, struct strbuf *why)
{
	*listener = (struct http_listener)HTTP_LISTENER_INIT;
	if (strncmp(text, UNIX, strlen(UNIX)) != 0)
		return open_network(listener, text, why);
	listener->text = strdup(text);
	if (!listener->text)
		return -ENOMEM;
	return unix_listener__open(listener, text + strlen(UNIX), BACKLOG, why);
}

int http_listener__adopt(struct http_listener *listener, int fd)
{
	*listener = (struct http_listener){ .fd = fd };
	return describe(listener);
}

void http_listener__close(struct http_listener *listener)
{
	if (listener->path)
		unix_listener__remove(listener);
	if (listener->fd >= 0)
		close(listener->fd);
	free(listener->text);
	free(listener->path);
	*listener = (struct http_listener)HTTP_LISTENER_INIT;
}
