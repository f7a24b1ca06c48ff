// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/export/export-serve.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/export/export-pages.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/service-manager.h"
#include "util/base/strbuf.h"
#include "util/count/fd-limit.h"
#include "util/output/http-listener.h"
#include "util/output/http-server.h"

/*
 * A request that arrives within this time after a reading of the counters gets the page (the
 * metrics as text) of this reading, if the page was made in the requested format.
 */
#define FRESH_NS (100 * NSEC_PER_MSEC)
/*
 * If reading the counters and converting the counts to metrics takes the time T, the page is used
 * for at least 4 * T. So clients that continuously request one format use at most about a fifth of
 * the time of the thread that counts.
 */
#define FRESH_PER_WORK 4

struct export_serve {
	struct export_pages *pages;
	struct http_listener listener;
	struct http_server *server;
	unsigned int wanted; /* formats that clients requested, as bits 1 << enum metric_format */
};

static int listen_at(struct export_serve *serve, const char *address, struct strbuf *why)
{
	int fd = service_manager__take_socket(why), err;

	if (fd < -1)
		return fd;
	if (fd < 0)
		return http_listener__open(&serve->listener, address ?: HTTP_LISTENER_DEFAULT, why);
	err = http_listener__adopt(&serve->listener, fd);
	if (address)
		err = err   ?:
			      reason__set(why, -EINVAL,
					  "--listen %s: the service manager passed a socket, too\n"
					  "omit --listen, or start pstat without the socket unit",
					  address);
	return err;
}

/*
 * Raises the limit on open files. When the server has too many connections, it accepts each new
 * connection and closes an older one. If the limit on open files did not allow the new connection,
 * clients that connect and then send nothing could lock out other clients.
 */
static void make_room_for_connections(void)
{
	uint64_t needed, allowed;

	fd_limit__reserve(HTTP_SERVER_FILES);
	fd_limit__make_room(0, &needed, &allowed);
}

int export_serve__new(const char *address, struct export_pages *pages, struct export_serve **out)
{
	struct export_serve *serve = calloc(1, sizeof(*serve));
	struct strbuf why = STRBUF_INIT;
	int err;

	*out = NULL;
	if (!serve)
		return command__out_of_memory();
	serve->pages = pages;
	serve->listener = (struct http_listener)HTTP_LISTENER_INIT;
	make_room_for_connections();
	err = listen_at(serve, address, &why);
	err = err ?: http_server__new(&serve->listener, &why, &serve->server);
	if (err) {
		pr_err("%s", reason__text(&why, err));
		export_serve__free(serve);
	} else {
		*out = serve;
	}
	strbuf__free(&why);
	return err ? EXIT_FAILED : 0;
}

void export_serve__free(struct export_serve *serve)
{
	if (!serve)
		return;
	service_manager__notify("STOPPING=1");
	http_server__free(serve->server);
	http_listener__close(&serve->listener);
	free(serve);
}

/*
 * The session calls this function when counting starts, so the function also reports that pstat is
 * ready.
 */
int export_serve__wake_fd(const struct export_serve *serve)
{
	service_manager__notify("READY=1");
	pr_warn("the metrics are at %s%s", serve->listener.text,
		strncmp(serve->listener.text, "http", 4) ? "" : "/metrics");
	return http_server__fd(serve->server);
}

int export_serve__wake(struct export_serve *serve)
{
	serve->wanted = http_server__wanted(serve->server);
	return serve->wanted != 0;
}

/*
 * Makes the page in @format, and passes the page to the server. Returns 0, or -ENOMEM after
 * reporting that memory ran out.
 */
static int serve_format(struct export_serve *serve, enum metric_format format, uint64_t fresh_until)
{
	size_t len;
	char *text = export_pages__take_text(serve->pages, format, &len);
	int err = text ? http_server__serve(serve->server, format, text, len, fresh_until) :
			 -ENOMEM;

	return err && text ? log__out_of_memory() : err;
}

int export_serve__reading(struct export_serve *serve, const struct measurement *m)
{
	uint64_t read = clock__now(), work;
	int err = export_pages__update(serve->pages, m);

	work = clock__now() - export_pages__time(serve->pages);
	for (int i = 0; i < METRIC_FORMAT_NR; i++) {
		uint64_t fresh = work * FRESH_PER_WORK;

		if (!(serve->wanted & 1U << i))
			continue;
		err = err   ?:
			      serve_format(serve, (enum metric_format)i,
					   read + (fresh > FRESH_NS ? fresh : FRESH_NS));
	}
	return err;
}
