// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/service-manager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/base/reason.h"

#define FIRST_FD 3 /* SD_LISTEN_FDS_START */

static int socket_option(int fd, int option)
{
	socklen_t size = sizeof(int);
	int value;

	return getsockopt(fd, SOL_SOCKET, option, &value, &size) ? -1 : value;
}

static bool is_listening(int fd)
{
	return socket_option(fd, SO_TYPE) == SOCK_STREAM && socket_option(fd, SO_ACCEPTCONN) == 1;
}

int service_manager__take_socket(struct strbuf *why)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	int nr;

	/*
	 * LISTEN_PID names another process if the manager set the variables for an ancestor, and
	 * this process inherited them.
	 */
	if (!pid || !fds || strtol(pid, NULL, 10) != getpid())
		return -1;
	nr = (int)strtol(fds, NULL, 10);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (nr != 1)
		return reason__set(why, -EINVAL,
				   "the service manager passed %d sockets (LISTEN_FDS)\n"
				   "use a socket unit with one Listen line",
				   nr);
	if (!is_listening(FIRST_FD) || fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC))
		return reason__set(why, -EINVAL,
				   "fd 3, which the service manager passed, is not a listening "
				   "stream socket\n"
				   "use ListenStream= and Accept=no in the socket unit");
	return FIRST_FD;
}

void service_manager__notify(const char *state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(to.sun_path, path, len);
	if (path[0] == '@') /* an abstract name, without a file */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		errno = 0;
	close(fd);
}
