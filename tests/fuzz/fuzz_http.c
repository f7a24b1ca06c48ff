// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as the data that a client sends to the server, and as the values of Accept and
 * Accept-Encoding. The first byte determines the size of the pieces in which the bytes arrive. The
 * server must send nothing but answers, and must still serve the next client. A list of formats
 * must mean the same with additional spaces.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/unit/http-client.h"
#include "tests/unit/test_event_roots.h"
#include "util/output/http-accept.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fake_roots folder;
static struct http_fixture fixture;

static void stop(void)
{
	http_fixture__stop(&fixture);
	fake_roots__remove(&folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char address[128];

	(void)argc;
	(void)argv;
	fake_roots__init(&folder);
	snprintf(address, sizeof(address), "unix:%s/socket", folder.dir);
	if (!http_fixture__start(&fixture, address))
		abort();
	fixture.fresh = 1000000; /* short, so that new pages are built from time to time */
	atexit(stop);
	return 0;
}

static void try_accept(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct strbuf spaced = STRBUF_INIT;

	if (!text)
		abort();
	for (const char *at = text; *at; at++) {
		bool is_separator = strchr(",;=", *at);

		strbuf__addf(&spaced, is_separator ? "\t%c " : "%c", *at);
	}
	if (http_accept__format(text) != http_accept__format(spaced.text) ||
	    http_accept__gzip(text) != http_accept__gzip(spaced.text))
		abort();
	strbuf__free(&spaced);
	free(text);
}

static void try_request(const uint8_t *data, size_t size, size_t piece)
{
	int fd = http_fixture__connect(&fixture);

	while (size) {
		size_t len = size < piece ? size : piece;

		if (!http_fixture__send(fd, data, len))
			break;
		data += len;
		size -= len;
	}
	shutdown(fd, SHUT_WR);
	fixture.patience_ms = 2; /* libmicrohttpd may notice the end only after IDLE_SECONDS */
	http_fixture__reply(&fixture, fd, 0);
	fixture.patience_ms = 10000;
	if (fixture.reply.len && strncmp(fixture.reply.text, "HTTP/1.", 7) != 0)
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char good[] = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
	static unsigned int nr;

	if (!size || !data[0])
		return 0;
	try_accept(data + 1, size - 1);
	try_request(data + 1, size - 1, data[0]);
	if (nr++ % 64 == 0 && strncmp(http_fixture__ask(&fixture, good), "HTTP/1.1 200", 12) != 0)
		abort();
	return 0;
}
