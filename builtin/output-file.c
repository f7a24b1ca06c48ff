// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/log.h"

int output_file__open(struct output_file *out, const char *path, bool append)
{
	int flags = O_WRONLY | O_CLOEXEC | (append ? O_APPEND : 0), err;
	int fd = open(path, flags | O_CREAT | O_EXCL, 0666);

	*out = (struct output_file){ .path = path, .append = append, .made = fd >= 0 };
	if (fd < 0 && errno == EEXIST) /* a file or a dangling link exists */
		fd = open(path, flags | O_CREAT, 0666);
	if (fd >= 0)
		out->file = fdopen(fd, "w");
	if (out->file)
		return 0;
	err = -errno;
	if (fd >= 0)
		close(fd);
	pr_err("-o %s: cannot open the file for writing: %s", log__value(path), strerror(-err));
	return err;
}

int output_file__begin(struct output_file *out)
{
	int err;

	out->begun = true;
	if (out->append || !ftruncate(fileno(out->file), 0) || errno == EINVAL)
		return 0;
	err = -errno;
	out->failed = true;
	pr_err("-o %s: cannot empty the file: %s", out->path, strerror(-err));
	return err;
}

void output_file__failed(struct output_file *out)
{
	out->failed = true;
}

static bool is_empty(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !st.st_size;
}

int output_file__close(struct output_file *out)
{
	int err = out->file && fclose(out->file) ? -errno : 0;

	if (err && !out->failed)
		pr_err("-o %s: cannot write the file: %s", out->path, strerror(-err));
	out->failed |= err != 0;
	if (out->made && (!out->begun || (out->failed && is_empty(out->path))))
		unlink(out->path);
	*out = (struct output_file){ 0 };
	return err;
}
