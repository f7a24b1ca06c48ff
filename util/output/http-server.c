// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/http-server.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/reason.h"
#include "util/output/http-listener.h"
#include "util/output/http-page.h"
#include "util/output/http-peers.h"
#include "util/output/libmicrohttpd.h"

/*
 * the memory for a request and the header of its answer; a request from Prometheus is about 500
 * bytes long
 */
#define CONNECTION_BYTES ((size_t)16 * 1024)
#define IDLE_SECONDS 5
/*
 * If the total size of all existing pages exceeds this limit (in bytes) when a request begins, the
 * server closes the oldest of the connections to which it is still sending a page.
 */
#define PAGES_BYTES ((size_t)8 * 1024 * 1024)

enum answer { ANSWER_INDEX, ANSWER_BODY, ANSWER_METHOD, ANSWER_PATH, ANSWER_NO_PAGE, NR_ANSWERS };

static const struct {
	unsigned int status;
	const char *type, *text;
} answers[NR_ANSWERS] = {
	[ANSWER_INDEX] = { MHD_HTTP_OK, "text/html; charset=utf-8",
			   "<!DOCTYPE html><html lang=\"en\"><title>pstat</title>"
			   "<h1>pstat export</h1><p><a href=\"/metrics\">Metrics</a></html>\n" },
	[ANSWER_BODY] = { MHD_HTTP_BAD_REQUEST, "text/plain", "requests must not have a body\n" },
	[ANSWER_METHOD] = { MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
			    "only GET and HEAD are allowed\n" },
	[ANSWER_PATH] = { MHD_HTTP_NOT_FOUND, "text/plain", "the metrics are at /metrics\n" },
	[ANSWER_NO_PAGE] = { MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
			     "pstat has no counts at the moment\n" },
};

struct http_server {
	const struct libmicrohttpd *mhd;
	struct MHD_Daemon *daemon;
	int fd;
	struct MHD_Response *responses[NR_ANSWERS];
	struct http_peers peers; /* used only by the server's thread */
	atomic_size_t held;	 /* total size in bytes of all pages */

	/* protects the members below; each thread holds the lock for a few instructions only */
	pthread_mutex_t lock;
	struct http_page *pages[METRIC_FORMAT_NR]; /* references to the newest pages */
	struct http_peer *waiting[METRIC_FORMAT_NR];
	bool is_stopping;
};

static enum MHD_Result answer_with(const struct http_server *server,
				   struct MHD_Connection *connection, enum answer answer)
{
	return server->mhd->MHD_queue_response(connection, answers[answer].status,
					       server->responses[answer]);
}

static enum MHD_Result send_page(const struct http_server *server,
				 struct MHD_Connection *connection, struct http_peer *peer)
{
	bool gzip = !peer->is_local && http_accept__gzip(server->mhd->MHD_lookup_connection_value(
					       connection, MHD_HEADER_KIND, "Accept-Encoding"));

	return server->mhd->MHD_queue_response(connection, MHD_HTTP_OK,
					       http_page__response(peer->page, gzip));
}

/* Returns a reference to the newest page if it is fresh, otherwise NULL. */
static struct http_page *fresh_page(struct http_server *server, enum metric_format format)
{
	struct http_page *page;

	pthread_mutex_lock(&server->lock);
	page = server->pages[format];
	if (page && http_page__fresh_until(page) > clock__now())
		http_page__get(page);
	else
		page = NULL;
	pthread_mutex_unlock(&server->lock);
	return page;
}

/*
 * Suspends the connection, and then adds it to the list server->waiting[@format]. The order
 * matters, because the counting thread can resume any connection in this list at any time.
 */
static void wait_for_page(struct http_server *server, struct MHD_Connection *connection,
			  struct http_peer *peer, enum metric_format format)
{
	const uint64_t one = 1;
	bool is_stopping;

	server->mhd->MHD_suspend_connection(connection);
	peer->connection = connection;
	peer->is_waiting = true;
	pthread_mutex_lock(&server->lock);
	is_stopping = server->is_stopping;
	if (!is_stopping) {
		peer->next_waiting = server->waiting[format];
		server->waiting[format] = peer;
	}
	pthread_mutex_unlock(&server->lock);
	if (is_stopping)
		server->mhd->MHD_resume_connection(connection);
	else if (write(server->fd, &one, sizeof(one)) < 0)
		errno = 0; /* the counter of the eventfd is full, so the fd is already readable */
}

static enum MHD_Result answer_metrics(struct http_server *server, struct MHD_Connection *connection,
				      struct http_peer *peer)
{
	enum metric_format format = http_accept__format(
		server->mhd->MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept"));

	if (peer->is_waiting) {
		peer->is_waiting = false;
		peer->since = clock__now();
		return peer->page ? send_page(server, connection, peer) :
				    answer_with(server, connection, ANSWER_NO_PAGE);
	}
	peer->page = fresh_page(server, format);
	if (peer->page)
		return send_page(server, connection, peer);
	wait_for_page(server, connection, peer, format);
	return MHD_YES;
}

/*
 * Returns the answer that refuses the request because of its method or a header, or NR_ANSWERS if
 * the request is acceptable.
 */
static enum answer refuse(const struct http_server *server, struct MHD_Connection *connection,
			  const char *method)
{
	const char *length = server->mhd->MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
								      "Content-Length");

	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return ANSWER_METHOD;
	if ((length && strcmp(length, "0") != 0) ||
	    server->mhd->MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
						     "Transfer-Encoding"))
		return ANSWER_BODY;
	return NR_ANSWERS;
}

/*
 * Returns the path of the requested URL. Servers must also accept absolute URLs, which clients send
 * to proxies (RFC 9112, section 3.2.2).
 */
static const char *path_of(const char *url)
{
	static const char scheme[] = "http://";
	const char *path;

	if (strncasecmp(url, scheme, strlen(scheme)) != 0)
		return url;
	path = strchr(url + strlen(scheme), '/');
	return path ?: "/";
}

/*
 * libmicrohttpd calls this function when the header of a request has arrived, again when the
 * request is complete, and, if the connection was suspended, again when it has been resumed.
 */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body,
			      size_t *body_size, void **request)
{
	struct http_server *server = ctx;
	struct http_peer *peer = *request;

	(void)version, (void)body;
	if (!peer) {
		enum answer refusal = refuse(server, connection, method);
		const union MHD_ConnectionInfo *info = server->mhd->MHD_get_connection_info(
			connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

		*request = info ? info->socket_context : NULL;
		if (!*request)
			return MHD_NO; /* closes the connection */
		http_peers__close_late(&server->peers);
		if (atomic_load(&server->held) > PAGES_BYTES)
			http_peers__close_oldest_page(&server->peers);
		return refusal == NR_ANSWERS ? MHD_YES : answer_with(server, connection, refusal);
	}
	*body_size = 0;
	url = path_of(url);
	if (!strcmp(url, "/metrics"))
		return answer_metrics(server, connection, peer);
	return answer_with(server, connection, strcmp(url, "/") ? ANSWER_PATH : ANSWER_INDEX);
}

static void end_request(void *ctx, struct MHD_Connection *connection, void **request,
			enum MHD_RequestTerminationCode code)
{
	struct http_peer *peer = *request;

	(void)ctx, (void)connection, (void)code;
	if (!peer)
		return;
	http_page__put(peer->page);
	peer->page = NULL;
	peer->is_waiting = false;
	peer->since = clock__now();
	*request = NULL;
}

static void begin_or_end_connection(void *ctx, struct MHD_Connection *connection,
				    void **socket_context, enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = ctx;
	const union MHD_ConnectionInfo *info;
	int fd;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*socket_context)
			http_peers__remove(&server->peers, *socket_context);
		*socket_context = NULL;
		return;
	}
	info = server->mhd->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	/* copy the fd: in libmicrohttpd 1.0 and later, the next call overwrites *info */
	fd = info ? info->connect_fd : -1;
	info = server->mhd->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	*socket_context =
		fd < 0 ? NULL :
			 http_peers__add(&server->peers, fd, info ? info->client_addr : NULL);
}

static int make_answers(struct http_server *server)
{
	const struct libmicrohttpd *mhd = server->mhd;

	for (int i = 0; i < NR_ANSWERS; i++) {
		struct MHD_Response *response = mhd->MHD_create_response_from_buffer(
			strlen(answers[i].text), (void *)answers[i].text, MHD_RESPMEM_PERSISTENT);

		server->responses[i] = response;
		if (!response ||
		    !mhd->MHD_add_response_header(response, "Content-Type", answers[i].type) ||
		    (i == ANSWER_METHOD &&
		     !mhd->MHD_add_response_header(response, "Allow", "GET, HEAD")) ||
		    (i != ANSWER_INDEX &&
		     !mhd->MHD_add_response_header(response, "Connection", "close")))
			return -ENOMEM;
	}
	return 0;
}

/*
 * Starts the server's thread. Blocks all signals during this call, because the thread inherits the
 * signal mask. libmicrohttpd closes the socket that it gets, so this function passes a duplicate.
 */
static int start(struct http_server *server, const struct http_listener *listener,
		 struct strbuf *why)
{
	int fd = fcntl(listener->fd, F_DUPFD_CLOEXEC, 0), err;
	sigset_t all, before;

	if (fd < 0)
		return reason__store_call(why, -errno, "fcntl", "%s", listener->text);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = 0;
	server->daemon = server->mhd->MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
		NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)HTTP_SERVER_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_SECONDS,
		MHD_OPTION_NOTIFY_COMPLETED, end_request, server, MHD_OPTION_NOTIFY_CONNECTION,
		begin_or_end_connection, server, MHD_OPTION_END);
	err = server->daemon ? 0 : errno ? -errno : -EIO;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return reason__set(why, err, "%s: libmicrohttpd cannot start a server: %s", listener->text,
			   strerror(-err));
}

int http_server__new(const struct http_listener *listener, struct strbuf *why,
		     struct http_server **result)
{
	struct http_server *server = calloc(1, sizeof(*server));
	int err;

	*result = NULL;
	if (!server)
		return -ENOMEM;
	pthread_mutex_init(&server->lock, NULL);
	server->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = server->fd < 0 ? reason__store_call(why, -errno, "eventfd", "%s", listener->text) : 0;
	if (!err) {
		server->mhd = libmicrohttpd__load(why);
		err = server->mhd ? make_answers(server) : -ELIBACC;
	}
	err = err ?: start(server, listener, why);
	if (err)
		http_server__free(server);
	else
		*result = server;
	return err;
}

/*
 * Resumes all connections that wait for @format. Gives each of them a reference to @page, which is
 * NULL if there is no page.
 */
static void resume_all(struct http_server *server, enum metric_format format,
		       struct http_page *page)
{
	struct http_peer *peer, *next;

	pthread_mutex_lock(&server->lock);
	peer = server->waiting[format];
	server->waiting[format] = NULL;
	pthread_mutex_unlock(&server->lock);
	for (; peer; peer = next) {
		next = peer->next_waiting; /* the peer can be freed as soon as it is resumed */
		peer->page = page ? http_page__get(page) : NULL;
		server->mhd->MHD_resume_connection(peer->connection);
	}
}

void http_server__fail(struct http_server *server)
{
	for (int format = 0; format < METRIC_FORMAT_NR; format++)
		resume_all(server, (enum metric_format)format, NULL);
}

void http_server__free(struct http_server *server)
{
	if (!server)
		return;
	pthread_mutex_lock(&server->lock);
	server->is_stopping = true;
	pthread_mutex_unlock(&server->lock);
	http_server__fail(server);
	if (server->daemon)
		server->mhd->MHD_stop_daemon(server->daemon);
	for (int i = 0; i < METRIC_FORMAT_NR; i++)
		http_page__put(server->pages[i]);
	for (int i = 0; i < NR_ANSWERS; i++)
		if (server->responses[i])
			server->mhd->MHD_destroy_response(server->responses[i]);
	if (server->fd >= 0)
		close(server->fd);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

int http_server__fd(const struct http_server *server)
{
	return server->fd;
}

unsigned int http_server__wanted(struct http_server *server)
{
	struct http_page *old[METRIC_FORMAT_NR] = { NULL };
	unsigned int wanted = 0;
	uint64_t nr;

	if (read(server->fd, &nr, sizeof(nr)) < 0)
		errno = 0; /* no request has begun to wait since the last call */
	pthread_mutex_lock(&server->lock);
	for (int format = 0; format < METRIC_FORMAT_NR; format++) {
		if (!server->waiting[format])
			continue;
		wanted |= 1U << format;
		old[format] = server->pages[format];
		server->pages[format] = NULL;
	}
	pthread_mutex_unlock(&server->lock);
	for (int format = 0; format < METRIC_FORMAT_NR; format++)
		http_page__put(old[format]);
	return wanted;
}

int http_server__serve(struct http_server *server, enum metric_format format, char *bytes,
		       size_t len, uint64_t fresh_until)
{
	struct http_page *page = http_page__new(server->mhd, format, bytes, len, fresh_until,
						&server->held),
			 *old = NULL;

	if (page) {
		pthread_mutex_lock(&server->lock);
		old = server->pages[format];
		server->pages[format] = http_page__get(page);
		pthread_mutex_unlock(&server->lock);
	}
	resume_all(server, format, page);
	http_page__put(old);
	http_page__put(page);
	return page ? 0 : -ENOMEM;
}
