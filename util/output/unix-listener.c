// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/unix-listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/output/http-listener.h"

#define LONGEST ((int)sizeof(((struct sockaddr_un *)0)->sun_path) - 1)
#define LOCK_TRIES 20	       /* number of attempts to lock the directory */
#define LOCK_INTERVAL_US 10000 /* time between two attempts */

int unix_listener__check(const char *path, struct strbuf *why)
{
	if (path[0] != '/')
		return reason__set(why, -EINVAL,
				   "unix:%s: the path of a socket must begin with /, as in "
				   "unix:/run/pstat.sock",
				   path);
	if (strlen(path) > (size_t)LONGEST)
		return reason__set(why, -EINVAL, "unix:%s: the path is longer than %d characters",
				   path, LONGEST);
	return 0;
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, path, strlen(path));
	return address;
}

/*
 * Returns 0 if nobody listens on the socket @path, -EADDRINUSE if a process listens on it, or
 * another -errno.
 */
static int try_connect(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = -EADDRINUSE;
	struct sockaddr_un address = address_of(path);

	if (fd < 0)
		return -errno;
	/* EAGAIN: a process listens on the socket, and its queue of connections is full */
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		err = errno == ECONNREFUSED ? 0 : errno == EAGAIN ? -EADDRINUSE : -errno;
	close(fd);
	return err;
}

/*
 * Removes the file @path if it is a socket of this user on which nobody listens. Returns 0 if the
 * path is free afterwards, or -errno with the reason in @why.
 */
static int remove_stale(const char *path, struct strbuf *why)
{
	struct stat st;
	int err;

	if (lstat(path, &st)) {
		err = errno == ENOENT ? 0 : -errno;
		return reason__set(why, err, "unix:%s: %s", path, strerror(-err));
	}
	if (!S_ISSOCK(st.st_mode))
		return reason__set(why, -EEXIST,
				   "unix:%s: there is already a file of this name, and it is not a "
				   "socket",
				   path);
	if (st.st_uid != geteuid())
		return reason__set(why, -EPERM,
				   "unix:%s: there is already a socket of this name, and it "
				   "belongs to the user %u\n"
				   "remove it, or use another path",
				   path, st.st_uid);
	err = try_connect(path);
	if (!err && unlink(path))
		err = -errno;
	return reason__set(why, err, "unix:%s: %s", path,
			   err == -EADDRINUSE ? "another process listens there" : strerror(-err));
}

/*
 * Creates the socket. Between bind(2) and listen(2), nobody listens on the socket yet, so another
 * pstat could replace it. The caller tries to lock the directory to prevent this.
 */
static int open_locked(struct http_listener *listener, const char *path, int backlog,
		       struct strbuf *why)
{
	struct sockaddr_un address = address_of(path);
	int err = remove_stale(path, why);
	struct stat st;
	mode_t before;

	if (err)
		return err;
	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return reason__store_call(why, -errno, "socket", "unix:%s", path);
	before = umask(0777 & ~0660);
	err = bind(listener->fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	umask(before);
	if (err)
		return reason__store_call(why, err, "bind", "unix:%s", path);
	listener->path = strdup(path);
	if (!listener->path || listen(listener->fd, backlog) || lstat(path, &st)) {
		err = listener->path ? -errno : -ENOMEM;
		unlink(path);
		return reason__set(why, err, "unix:%s: %s", path, strerror(-err));
	}
	listener->dev = st.st_dev;
	listener->ino = st.st_ino;
	listener->made = st.st_mtim;
	return 0;
}

/* Opens the directory that contains @path. Returns an fd or -errno. */
static int open_directory(const char *path, struct strbuf *why)
{
	char *directory = strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	int fd;

	if (!directory)
		return -ENOMEM;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = reason__set(why, -errno, "unix:%s: %s: %s", path, directory, strerror(errno));
	free(directory);
	return fd;
}

/*
 * Tries to lock @directory. pstat holds this lock for less than a millisecond, but any user who can
 * read the directory can hold it for longer. If another process keeps the lock, pstat listens
 * without locking the directory. The missing lock does harm only if two processes begin to listen
 * on the same path at the same time.
 */
static void lock(int directory)
{
	for (int i = 0; i < LOCK_TRIES && flock(directory, LOCK_EX | LOCK_NB); i++)
		usleep(LOCK_INTERVAL_US);
}

int unix_listener__open(struct http_listener *listener, const char *path, int backlog,
			struct strbuf *why)
{
	int err = unix_listener__check(path, why), directory;

	if (err)
		return err;
	directory = open_directory(path, why);
	if (directory < 0)
		return directory;
	lock(directory);
	err = open_locked(listener, path, backlog, why);
	close(directory);
	return err;
}

void unix_listener__remove(const struct http_listener *listener)
{
	struct stat st;

	if (!lstat(listener->path, &st) && st.st_dev == listener->dev &&
	    st.st_ino == listener->ino && st.st_mtim.tv_sec == listener->made.tv_sec &&
	    st.st_mtim.tv_nsec == listener->made.tv_nsec)
		unlink(listener->path);
}
