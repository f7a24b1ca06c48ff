// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/service-manager.h"
#include "util/base/strbuf.h"
#include "util/output/http-listener.h"

static char folder[] = "/tmp/pstat-listener.XXXXXX";
static char address[64], *path;

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(address, sizeof(address), "unix:%s/socket", folder);
	path = address + strlen("unix:");
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder); /* fails if a test has left a file */
}

static void assert_refused(const char *text, const char *words)
{
	struct strbuf why = STRBUF_INIT;

	assert_int_equal(http_listener__check(text, &why), -EINVAL);
	if (!strstr(why.text, words))
		fail_msg("%s: %s", text, why.text);
	strbuf__free(&why);
}

static void an_address_is_never_guessed(void **state)
{
	(void)state;
	assert_refused("", "there is no port");
	assert_refused("127.0.0.1", "there is no port");
	assert_refused("9736", "there is no port");
	assert_refused(":9736", "there is no address");
	assert_refused("localhost:9736", "neither an IPv4 address nor");
	assert_refused("::1:9736", "neither an IPv4 address nor");
	assert_refused("[::1", "neither an IPv4 address nor");
	assert_refused("[::1]9736", "the port is not a number");
	assert_refused("[127.0.0.1]:9736", "neither an IPv4 address nor");
	assert_refused("127.1:9736", "neither an IPv4 address nor");
	assert_refused("127.0.0.1:", "the port is not a number");
	assert_refused("127.0.0.1:65536", "the port is not a number");
	assert_refused("127.0.0.1:-1", "the port is not a number");
	assert_refused("127.0.0.1:+1", "the port is not a number");
	assert_refused("127.0.0.1:99999999999999999999", "the port is not a number");
	assert_refused("unix:", "must begin with /");
	assert_refused("unix:run/pstat.sock", "must begin with /");
	assert_refused("unix:/01234567890123456789012345678901234567890123456789"
		       "012345678901234567890123456789012345678901234567890123456",
		       "longer than 107 characters");
}

static void open_it(struct http_listener *listener, const char *text)
{
	struct strbuf why = STRBUF_INIT;

	if (http_listener__open(listener, text, &why))
		fail_msg("%s: %s", text, why.text);
	strbuf__free(&why);
}

static void assert_not_opened(const char *text, int err, const char *words)
{
	struct strbuf why = STRBUF_INIT;
	struct http_listener listener;

	assert_int_equal(http_listener__open(&listener, text, &why), err);
	if (!strstr(why.text, words))
		fail_msg("%s: %s", text, why.text);
	http_listener__close(&listener);
	strbuf__free(&why);
}

static void the_port_0_becomes_a_free_port(void **state)
{
	struct http_listener first, second;
	unsigned int port;

	(void)state;
	open_it(&first, "127.0.0.1:0");
	assert_int_equal(sscanf(first.text, "http://127.0.0.1:%u", &port), 1);
	assert_true(port > 0);
	assert_not_opened(first.text + strlen("http://"), -EADDRINUSE, "another program listens");
	open_it(&second, "127.0.0.1:0");
	assert_string_not_equal(first.text, second.text);
	http_listener__close(&first);
	http_listener__close(&second);
}

static void addresses_of_other_machines_are_refused(void **state)
{
	(void)state;
	/* from a block for documentation, RFC 5737 */
	assert_not_opened("192.0.2.1:0", -EADDRNOTAVAIL, "no network interface");
}

static void a_socket_has_a_mode_and_is_removed(void **state)
{
	static const mode_t masks[] = { 0, 022, 077 };

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		mode_t before = umask(masks[i]);
		struct http_listener listener;
		struct stat st;

		open_it(&listener, address);
		assert_int_equal(umask(before), masks[i]);
		assert_string_equal(listener.text, address);
		assert_int_equal(lstat(path, &st), 0);
		assert_int_equal(st.st_mode, S_IFSOCK | 0660);
		http_listener__close(&listener);
		assert_int_equal(lstat(path, &st), -1);
		http_listener__close(&listener);
	}
}

static void a_stale_socket_is_replaced_and_a_used_one_is_not(void **state)
{
	struct http_listener listener, other;

	(void)state;
	open_it(&listener, address);
	assert_not_opened(address, -EADDRINUSE, "another process listens there");
	/* a killed process leaves the file behind */
	close(listener.fd);
	listener.fd = -1;
	usleep(20000); /* the inode may be the same, so the times of the files must differ */
	open_it(&other, address);
	http_listener__close(&listener); /* must not remove the socket of the other listener */
	assert_int_equal(access(path, F_OK), 0);
	http_listener__close(&other);
}

/* Any user can lock /run or /tmp. */
static void a_locked_directory_does_not_keep_pstat_from_listening(void **state)
{
	int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct http_listener listener;

	(void)state;
	assert_int_equal(flock(directory, LOCK_EX), 0);
	open_it(&listener, address);
	http_listener__close(&listener);
	close(directory);
}

static void files_are_not_replaced(void **state)
{
	(void)state;
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_not_opened(address, -EEXIST, "it is not a socket");
	assert_int_equal(unlink(path), 0);
	/* a symbolic link is not followed, so its target is not replaced either */
	assert_int_equal(symlink("/nowhere", path), 0);
	assert_not_opened(address, -EEXIST, "it is not a socket");
	assert_int_equal(unlink(path), 0);
	assert_not_opened("unix:/nowhere/socket", -ENOENT, "/nowhere/");
}

/* Passes @nr sockets, beginning with @fd, to a child process. Returns the child's result. */
static int take(int fd, int nr, const char *words)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct strbuf why = STRBUF_INIT;
		char text[16];
		int taken;

		if (fd >= 0)
			dup2(fd, 3);
		snprintf(text, sizeof(text), "%d", getpid());
		setenv("LISTEN_PID", text, 1);
		snprintf(text, sizeof(text), "%d", nr);
		setenv("LISTEN_FDS", text, 1);
		taken = service_manager__take_socket(&why);
		if (!strstr(why.text, words) || getenv("LISTEN_FDS") || getenv("LISTEN_PID"))
			_exit(99);
		if (taken >= 0 && fcntl(taken, F_GETFD) != FD_CLOEXEC)
			_exit(98);
		_exit(taken < 0 ? -taken : taken);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void the_service_manager_passes_one_listening_socket(void **state)
{
	int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct http_listener listener, adopted;

	(void)state;
	open_it(&listener, "127.0.0.1:0");
	assert_int_equal(take(listener.fd, 1, ""), 3);
	assert_int_equal(take(listener.fd, 2, "passed 2 sockets"), EINVAL);
	assert_int_equal(take(file, 1, "not a listening stream socket"), EINVAL);
	assert_int_equal(service_manager__take_socket(NULL), -1);
	setenv("LISTEN_PID", "1", 1);
	setenv("LISTEN_FDS", "1", 1);
	assert_int_equal(service_manager__take_socket(NULL), -1);
	assert_int_equal(http_listener__adopt(&adopted, dup(listener.fd)), 0);
	assert_string_equal(adopted.text, listener.text);
	http_listener__close(&adopted);
	http_listener__close(&listener);
	close(file);
}

static void the_service_manager_is_notified(void **state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char text[32] = { 0 };

	(void)state;
	strcpy(to.sun_path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	service_manager__notify("READY=1"); /* nobody asked */
	setenv("NOTIFY_SOCKET", path, 1);
	service_manager__notify("STOPPING=1");
	assert_int_equal(recv(fd, text, sizeof(text), MSG_DONTWAIT), strlen("STOPPING=1"));
	assert_string_equal(text, "STOPPING=1");
	close(fd);
	service_manager__notify("READY=1"); /* nobody listens */
	unlink(path);
	unsetenv("NOTIFY_SOCKET");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_never_guessed),
		cmocka_unit_test(the_port_0_becomes_a_free_port),
		cmocka_unit_test(addresses_of_other_machines_are_refused),
		cmocka_unit_test(a_socket_has_a_mode_and_is_removed),
		cmocka_unit_test(a_stale_socket_is_replaced_and_a_used_one_is_not),
		cmocka_unit_test(a_locked_directory_does_not_keep_pstat_from_listening),
		cmocka_unit_test(files_are_not_replaced),
		cmocka_unit_test(the_service_manager_passes_one_listening_socket),
		cmocka_unit_test(the_service_manager_is_notified),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
