// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/number.h"

const struct sysroots *sysroots__host(void)
{
	static const struct sysroots host = {
		.sysfs = "/sys",
		.procfs = "/proc",
		.tracefs = "/sys/kernel/tracing",
	};

	return &host;
}

int sysfs__read(const char *root, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	size_t len = 0;
	ssize_t n;
	int fd, err = 0;

	n = snprintf(full, sizeof(full), "%s/%s", root, path);
	if (n < 0 || (size_t)n >= sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	while (!err && len < size) {
		n = read(fd, buf + len, size - len);
		if (n > 0)
			len += (size_t)n;
		else if (n == 0)
			break;
		else if (errno != EINTR)
			err = -errno;
	}
	close(fd);
	if (err)
		return err;
	if (len == size)
		return -EFBIG;
	if (memchr(buf, '\0', len))
		return -EINVAL;
	while (len && isspace((unsigned char)buf[len - 1]))
		len--;
	buf[len] = '\0';
	return (int)len;
}

int sysfs__read_u64(const char *root, const char *path, uint64_t *value)
{
	char buf[64];
	int len = sysfs__read(root, path, buf, sizeof(buf));

	if (len < 0)
		return len;
	return number__parse_u64(buf, value);
}
