// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>

#include "tests/unit/http-client.h"
#include "util/base/clock.h"
#include "util/output/http-peers.h"

#define END " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
#define METRICS "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
#define MINUTE (60 * NSEC_PER_SEC)

static int start(void **state)
{
	struct http_fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture || !http_fixture__start(fixture, "127.0.0.1:0"))
		return -1;
	*state = fixture;
	return 0;
}

static int stop(void **state)
{
	http_fixture__stop(*state);
	free(*state);
	return 0;
}

static void assert_reply(const char *reply, const char *status, const char *words)
{
	if (strncmp(reply, "HTTP/1.1 ", 9) != 0 ||
	    strncmp(reply + 9, status, strlen(status)) != 0 || !strstr(reply, words))
		fail_msg("not %s with \"%s\": %s", status, words, reply);
}

static void the_page_has_the_format_that_was_asked_for(void **state)
{
	struct http_fixture *fixture = *state;

	assert_reply(http_fixture__ask(fixture, METRICS "\r\n"), "200",
		     "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	assert_reply(fixture->reply.text, "200", "\r\n\r\naaaaaaaaaaaaaaaa");
	assert_reply(
		http_fixture__ask(
			fixture, METRICS
			"Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\n\r\n"),
		"200", "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8");
	assert_reply(fixture->reply.text, "200", "\r\n\r\nbbbbbbbbbbbbbbbb");
	assert_reply(http_fixture__ask(fixture, "GET /metrics?name=x" END), "200",
		     "\r\n\r\ncccccccccccccccc");
}

static void a_fresh_page_is_used_again(void **state)
{
	struct http_fixture *fixture = *state;

	fixture->fresh = MINUTE;
	assert_reply(http_fixture__ask(fixture, METRICS "\r\n"), "200", "\r\n\r\naaaaaaaa");
	assert_reply(http_fixture__ask(fixture, METRICS "\r\n"), "200", "\r\n\r\naaaaaaaa");
	assert_int_equal(fixture->pages, 1);
}

static void head_has_no_body(void **state)
{
	const char *reply = http_fixture__ask(*state, "HEAD /metrics" END);

	assert_reply(reply, "200", "Content-Length: 16\r\n");
	assert_string_equal(strstr(reply, "\r\n\r\n"), "\r\n\r\n");
}

static void a_url_can_be_absolute(void **state)
{
	struct http_fixture *fixture = *state;

	assert_reply(http_fixture__ask(fixture, "GET http://127.0.0.1:9736/metrics?x=y" END), "200",
		     "aaaaaaaaaaaaaaaa");
	assert_reply(http_fixture__ask(fixture, "GET HTTP://[::1]/metrics" END), "200",
		     "bbbbbbbbbbbbbbbb");
	assert_reply(http_fixture__ask(fixture, "GET http://host/" END), "200",
		     "href=\"/metrics\"");
	assert_reply(http_fixture__ask(fixture, "GET http://host" END), "200", "href=\"/metrics\"");
	assert_reply(http_fixture__ask(fixture, "GET http://host/nothing" END), "404", "/metrics");
	assert_reply(http_fixture__ask(fixture, "GET http:/metrics" END), "404", "/metrics");
}

static void other_requests_are_refused(void **state)
{
	struct http_fixture *fixture = *state;

	assert_reply(http_fixture__ask(fixture, "GET /" END), "200", "href=\"/metrics\"");
	assert_reply(http_fixture__ask(fixture, "GET /nothing" END), "404", "/metrics");
	assert_reply(http_fixture__ask(fixture, "GET /metrics/../metrics" END), "404", "");
	assert_reply(http_fixture__ask(fixture, "POST /metrics" END), "405", "Allow: GET, HEAD");
	assert_reply(http_fixture__ask(fixture, "DELETE /metrics" END), "405", "Allow: GET, HEAD");
	/* the answer does not wait for the body */
	assert_reply(http_fixture__ask(fixture, "GET /metrics HTTP/1.1\r\nHost: x\r\n"
						"Content-Length: 1000000000\r\n\r\n"),
		     "400", "must not have a body");
	assert_reply(http_fixture__ask(fixture, "GET /metrics HTTP/1.1\r\nHost: x\r\n"
						"Transfer-Encoding: chunked\r\n\r\n"),
		     "400", "must not have a body");
	assert_int_equal(fixture->pages, 0);
}

static void a_header_of_a_megabyte_is_refused(void **state)
{
	struct http_fixture *fixture = *state;
	int fd = http_fixture__connect(fixture);
	char letters[4096];
	size_t sent = 0;

	memset(letters, 'x', sizeof(letters));
	assert_true(http_fixture__send(fd, METRICS "X: ", strlen(METRICS "X: ")));
	while (sent < 1 << 20 && http_fixture__send(fd, letters, sizeof(letters)))
		sent += sizeof(letters);
	/* the answer may be lost, because the kernel resets a connection with unread data */
	assert_true(http_fixture__reply(fixture, fd, 0));
	if (fixture->reply.len)
		assert_reply(fixture->reply.text, "431", "");
	close(fd);
	assert_int_equal(fixture->pages, 0);
}

static void a_connection_serves_several_requests(void **state)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	struct http_fixture *fixture = *state;
	int fd = http_fixture__connect(fixture);
	size_t len;

	assert_true(http_fixture__send(fd, request, strlen(request)));
	assert_true(http_fixture__reply(fixture, fd, 1));
	assert_reply(fixture->reply.text, "200", "\r\n\r\naaaaaaaaaaaaaaaa");
	len = fixture->reply.len;
	/* both at once */
	assert_true(http_fixture__send(fd, request, strlen(request)));
	assert_true(http_fixture__send(fd, request, strlen(request)));
	assert_true(http_fixture__reply(fixture, fd, 2 * len));
	assert_non_null(strstr(fixture->reply.text, "\r\n\r\nbbbbbbbbbbbbbbbbHTTP/1.1 200"));
	assert_non_null(strstr(fixture->reply.text, "\r\n\r\ncccccccccccccccc"));
	close(fd);
}

static void requests_get_an_error_if_there_are_no_counts(void **state)
{
	struct http_fixture *fixture = *state;
	struct pollfd asked = { .fd = http_server__fd(fixture->server), .events = POLLIN };
	int fd = http_fixture__connect(fixture);

	assert_true(http_fixture__send(fd, METRICS "\r\n", strlen(METRICS "\r\n")));
	assert_int_equal(poll(&asked, 1, 10000), 1);
	http_server__fail(fixture->server);
	assert_int_equal(http_server__wanted(fixture->server), 0);
	assert_true(http_fixture__reply(fixture, fd, 0));
	assert_reply(fixture->reply.text, "503", "no counts");
	close(fd);
}

static void the_server_can_end_while_requests_wait(void **state)
{
	struct http_fixture fixture = { 0 };
	struct pollfd asked = { .events = POLLIN };
	int fd;

	(void)state;
	assert_true(http_fixture__start(&fixture, "127.0.0.1:0"));
	asked.fd = http_server__fd(fixture.server);
	fd = http_fixture__connect(&fixture);
	assert_true(http_fixture__send(fd, METRICS "\r\n", strlen(METRICS "\r\n")));
	assert_int_equal(poll(&asked, 1, 10000), 1);
	http_fixture__stop(&fixture);
	close(fd);
}

/*
 * Even if more connections than the server keeps have sent a part of a request, a new one succeeds.
 */
static void silent_connections_are_closed_for_new_ones(void **state)
{
	enum { NR = 200 };
	struct http_fixture *fixture = *state;
	int fds[NR], closed = 0;

	for (int i = 0; i < NR; i++) {
		fds[i] = http_fixture__connect(fixture);
		http_fixture__send(fds[i], METRICS, (size_t)i % strlen(METRICS));
	}
	assert_reply(http_fixture__ask(fixture, METRICS "\r\n"), "200", "\r\n\r\naaaaaaaa");
	for (int i = 0; i < NR; i++) {
		char byte;

		closed += recv(fds[i], &byte, 1, MSG_DONTWAIT) >= 0 || errno == ECONNRESET;
		close(fds[i]);
	}
	assert_true(closed >= NR - HTTP_PEERS_ADDRESS_LIMIT);
}

/* Clients that do not read their pages cannot make the server keep an unlimited number of them. */
static void clients_that_do_not_read_lose_their_pages(void **state)
{
	enum { NR = 12 };
	struct http_fixture *fixture = *state;
	struct pollfd asked = { .fd = http_server__fd(fixture->server), .events = POLLIN };
	int fds[NR], small = 4096;

	fixture->page_len = 8 * 1024 * 1024;
	for (int i = 0; i < NR; i++) {
		fds[i] = http_fixture__connect(fixture);
		if (i < NR - 1)
			setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
		assert_true(http_fixture__send(fds[i], METRICS "\r\n", strlen(METRICS "\r\n")));
		assert_int_equal(poll(&asked, 1, 10000), 1);
		http_fixture__count(fixture);
	}
	assert_true(http_fixture__reply(fixture, fds[0], 0)); /* its page is incomplete */
	assert_true(fixture->reply.len < fixture->page_len);
	assert_true(http_fixture__reply(fixture, fds[NR - 1], 0));
	assert_true(fixture->reply.len > fixture->page_len);
	for (int i = 0; i < NR; i++)
		close(fds[i]);
}

/* A signal to the process must reach the main thread, so no other thread may accept it. */
static void the_thread_of_the_server_blocks_all_signals(void **state)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int threads = 0;

	(void)state;
	assert_non_null(tasks);
	while ((entry = readdir(tasks))) {
		unsigned long long blocked;
		char path[300], line[128];
		FILE *status;

		if (atoi(entry->d_name) <= 0 || atoi(entry->d_name) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		status = fopen(path, "re");
		assert_non_null(status);
		while (fgets(line, sizeof(line), status))
			if (sscanf(line, "SigBlk: %llx", &blocked) == 1)
				break;
		fclose(status);
		for (int number = 1; number < 32; number++)
			assert_true(number == SIGKILL || number == SIGSTOP ||
				    blocked & 1ULL << (number - 1));
		threads++;
	}
	closedir(tasks);
	assert_int_equal(threads, 1);
}

int main(void)
{
#define ON_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)
	const struct CMUnitTest tests[] = {
		ON_A_SERVER(the_page_has_the_format_that_was_asked_for),
		ON_A_SERVER(a_fresh_page_is_used_again),
		ON_A_SERVER(head_has_no_body),
		ON_A_SERVER(a_url_can_be_absolute),
		ON_A_SERVER(other_requests_are_refused),
		ON_A_SERVER(a_header_of_a_megabyte_is_refused),
		ON_A_SERVER(a_connection_serves_several_requests),
		ON_A_SERVER(requests_get_an_error_if_there_are_no_counts),
		cmocka_unit_test(the_server_can_end_while_requests_wait),
		ON_A_SERVER(silent_connections_are_closed_for_new_ones),
		ON_A_SERVER(clients_that_do_not_read_lose_their_pages),
		ON_A_SERVER(the_thread_of_the_server_blocks_all_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
