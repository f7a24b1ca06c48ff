// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat writes the new metrics to a file without a name (O_TMPFILE), which the kernel removes if
 * pstat is killed. linkat(2) cannot replace a file, so pstat first gives the new file a temporary
 * name, and then immediately renames it to the final name (rename(2)). If the file system does not
 * support O_TMPFILE, the new file has the temporary name from the start.
 */
#include "builtin/export/export-textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"

/* the mode of the new file, from which the umask removes bits */
#define FILE_MODE 0644

struct export_textfile {
	const char *path;
	char *dir, *temporary;
	bool is_written, has_failed;
};

/*
 * Opens a new file. Sets *@has_name to true if the file has the temporary name, or to false if it
 * has no name. Returns the fd or -errno.
 */
static int open_new(const struct export_textfile *file, bool *has_name)
{
	int fd = open(file->dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, FILE_MODE);

	*has_name = false;
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd >= 0 ? fd : -errno;
	*has_name = true;
	unlink(file->temporary);
	fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
	return fd >= 0 ? fd : -errno;
}

static int write_all(int fd, const struct strbuf *text)
{
	for (size_t at = 0; at < text->len;) {
		ssize_t n = write(fd, text->text + at, text->len - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Gives the temporary name to the file @fd, which has no name. */
static int name_file(const struct export_textfile *file, int fd)
{
	char from[40];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	unlink(file->temporary);
	return linkat(AT_FDCWD, from, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

static int replace(const struct export_textfile *file, const struct strbuf *text)
{
	bool has_name;
	int fd = open_new(file, &has_name), err;

	if (fd < 0)
		return fd;
	err = write_all(fd, text);
	if (!err && !has_name) {
		err = name_file(file, fd);
		has_name = !err;
	}
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(file->temporary, file->path))
		err = -errno;
	if (err && has_name)
		unlink(file->temporary);
	return err;
}

/*
 * Returns whether @path can be used for --textfile. If not, logs the reason. Refuses devices, for
 * example /dev/null, and symbolic links, for example /dev/stdout: rename(2) would replace the
 * device or link with a file, and pstat would remove this file at the end.
 */
static bool is_possible(const char *path)
{
	size_t len = strlen(path);
	struct stat st;

	if (!len || path[len - 1] == '/')
		pr_err("--textfile %s: the path must end with the name of a file",
		       log__value(path));
	else if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		pr_err("--textfile %s: the path exists, but it is not a regular file",
		       log__value(path));
	else
		return true;
	return false;
}

int export_textfile__new(const char *path, struct export_textfile **out)
{
	struct export_textfile *file;
	bool has_name = false;
	int fd;

	*out = NULL;
	if (!is_possible(path))
		return EXIT_FAILED;
	file = calloc(1, sizeof(*file));
	if (!file)
		return command__out_of_memory();
	file->path = path;
	file->dir = strdup(path);
	if (file->dir) {
		char *dir = dirname(file->dir);

		memmove(file->dir, dir, strlen(dir) + 1);
	}
	if (!file->dir || asprintf(&file->temporary, "%s.%d.tmp", path, (int)getpid()) < 0) {
		file->temporary = NULL;
		export_textfile__free(file);
		return command__out_of_memory();
	}
	fd = open_new(file, &has_name);
	if (fd >= 0)
		close(fd);
	if (has_name)
		unlink(file->temporary);
	if (fd >= 0) {
		*out = file;
		return 0;
	}
	pr_err("--textfile %s: cannot make files in its directory: %s", log__value(path),
	       strerror(-fd));
	export_textfile__free(file);
	return EXIT_FAILED;
}

/*
 * If the first write fails, returns an error. If a later write fails, for example because the disk
 * is full, warns and returns 0, so that pstat continues to count and does not lose the totals.
 */
int export_textfile__write(struct export_textfile *file, const struct strbuf *text)
{
	int err = replace(file, text);

	if (err && !file->is_written)
		pr_err("--textfile %s: cannot write the file: %s", log__value(file->path),
		       strerror(-err));
	else if (err && !file->has_failed)
		pr_warn("--textfile %s: cannot write the file: %s\n"
			"pstat continues to count, and tries again at each interval",
			log__value(file->path), strerror(-err));
	else if (!err && file->has_failed)
		pr_warn("--textfile %s: the file can be written again", log__value(file->path));
	file->has_failed = err;
	err = file->is_written ? 0 : err;
	file->is_written |= !err;
	return err;
}

void export_textfile__free(struct export_textfile *file)
{
	if (!file)
		return;
	if (file->is_written)
		unlink(file->path);
	free(file->temporary);
	free(file->dir);
	free(file);
}
