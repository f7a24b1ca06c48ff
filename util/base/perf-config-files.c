// SPDX-License-Identifier: GPL-2.0-only
/* Chooses and reads perf's configuration files (util/base/perf-config.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/perf-config.h"
#include "util/base/regular-file.h"
#include "util/base/strbuf.h"

#define FILE_MAX (1 << 20) /* in bytes */

/* The reason why a file is read. */
enum origin {
	ORIGIN_NAMED,  /* PERF_CONFIG names the file */
	ORIGIN_SYSTEM, /* the file applies to all users, and this user may be unable to change it */
	ORIGIN_HOME,
};

struct reader {
	perf_config_fn take;
	void *data;
};

/*
 * Opens a configuration file. In a home directory, opens only regular files. Because sudo can leave
 * HOME unchanged, the directory can belong to another user, who can put any kind of file there.
 */
static int open_path(const char *path, enum origin origin)
{
	struct stat st = { .st_mode = 0 };
	int fd;

	if (origin == ORIGIN_HOME) {
		fd = regular_file__open(path, &st);
		/* treat an empty file like a missing file */
		return fd == -ENOEXEC && S_ISREG(st.st_mode) ? -ENOENT : fd;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/*
 * Returns the file's descriptor, or -errno. Returns -EPERM if @origin is ORIGIN_HOME and the file
 * belongs neither to this user nor to root.
 */
static int open_file(const char *path, enum origin origin)
{
	int fd = open_path(path, origin), err;
	struct stat st;

	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : 0;
	if (!err && origin == ORIGIN_HOME && st.st_uid && st.st_uid != geteuid())
		err = -EPERM;
	/* open() must not block, but read() must wait for the writer of a pipe */
	if (!err && fcntl(fd, F_SETFL, 0))
		err = -errno;
	if (err)
		close(fd);
	return err ?: fd;
}

static int read_all(int fd, struct strbuf *text)
{
	char part[4096];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		strbuf__add(text, part, (size_t)n);
		if (text->len > FILE_MAX)
			return -EFBIG;
	}
	return strbuf__failed(text) ? -ENOMEM : 0;
}

static void warn_of_unread(const char *path, enum origin origin, int err)
{
	const char *named = origin == ORIGIN_NAMED ? "PERF_CONFIG=" : "";

	if (origin != ORIGIN_NAMED && (err == -ENOENT || err == -ENOTDIR))
		return;
	if (origin == ORIGIN_HOME && err == -EPERM)
		pr_warn("%s belongs to neither this user nor root: its settings are ignored", path);
	else if (origin == ORIGIN_HOME && err == -ENOEXEC)
		pr_warn("%s is not a regular file: its settings are ignored", path);
	else if (origin != ORIGIN_NAMED && err == -EACCES)
		pr_info("this user may not read %s: its settings are ignored", path);
	else
		pr_warn("%s%s cannot be read: %s: its settings are ignored", named, path,
			strerror(-err));
}

static void read_file(const struct reader *reader, const char *path, enum origin origin)
{
	struct strbuf text = STRBUF_INIT, why = STRBUF_INIT;
	int fd = open_file(path, origin), err = fd < 0 ? fd : read_all(fd, &text);

	if (fd >= 0)
		close(fd);
	if (err) {
		warn_of_unread(path, origin, err);
	} else {
		err = perf_config__parse(path, text.text, text.len, reader->take, reader->data,
					 &why);
		if (err == -EINVAL)
			pr_warn("%s\nthe rest of this file is ignored", why.text);
		else if (err)
			warn_of_unread(path, origin, err);
	}
	strbuf__free(&text);
	strbuf__free(&why);
}

/*
 * Returns whether the environment variable @name is true. Any value that is not a boolean counts as
 * true.
 */
static bool env_says(const char *name)
{
	const char *value = getenv(name);
	bool is_true;

	return value && (perf_config__bool(value, &is_true) || is_true);
}

void perf_config__read(const char *system_file, perf_config_fn take, void *data)
{
	const char *named = getenv("PERF_CONFIG"), *home = getenv("HOME");
	const struct reader reader = { take, data };
	struct strbuf path = STRBUF_INIT;

	if (named) {
		if (*named)
			read_file(&reader, named, ORIGIN_NAMED);
		return;
	}
	if (!env_says("PERF_CONFIG_NOSYSTEM"))
		read_file(&reader, system_file, ORIGIN_SYSTEM);
	if (home && *home && !env_says("PERF_CONFIG_NOGLOBAL")) {
		strbuf__addf(&path, "%s/.perfconfig", home);
		if (!strbuf__failed(&path))
			read_file(&reader, path.text, ORIGIN_HOME);
		strbuf__free(&path);
	}
}
