// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
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

enum procfs_tasks sysroots__procfs_tasks(const struct sysroots *roots)
{
	char path[PATH_MAX], link[32], own[32];
	struct statfs fs;
	ssize_t len;

	/* in a test, the directories in roots->procfs are named after the ids that the test uses */
	if (roots != sysroots__host())
		return PROCFS_OWN;
	snprintf(path, sizeof(path), "%s/self", roots->procfs);
	len = readlink(path, link, sizeof(link) - 1);
	if (len < 0 && errno != ENOENT)
		return PROCFS_REFUSED;
	if (len < 0) /* a process without an id in the mount's PID namespace cannot read the link */
		return !statfs(roots->procfs, &fs) && fs.f_type == PROC_SUPER_MAGIC ?
			       PROCFS_FOREIGN :
			       PROCFS_MISSING;
	link[len] = '\0';
	snprintf(own, sizeof(own), "%d", (int)getpid());
	return strcmp(link, own) ? PROCFS_FOREIGN : PROCFS_OWN;
}

const char *sysroots__tasks(const struct sysroots *roots)
{
	/* no path exists below a device file */
	return sysroots__procfs_tasks(roots) == PROCFS_OWN ? roots->procfs : "/dev/null";
}

const char *procfs_tasks__why_not(enum procfs_tasks tasks)
{
	if (tasks == PROCFS_MISSING)
		return "/proc is not mounted\nmount it (mount -t proc proc /proc)";
	if (tasks == PROCFS_FOREIGN)
		return "/proc belongs to another PID namespace, in which processes have other ids\n"
		       "mount /proc for this namespace (mount -t proc proc /proc)";
	if (tasks == PROCFS_REFUSED)
		return "the link /proc/self cannot be read, probably because a seccomp filter "
		       "refuses readlink()\n"
		       "allow readlink() in the seccomp profile of the container or service";
	return "";
}

int sysfs__read_until(const char *root, const char *path, const char *end, char *buf, size_t size)
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
	while (!err && len < size && !(end && memmem(buf, len, end, strlen(end)))) {
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

int sysfs__read(const char *root, const char *path, char *buf, size_t size)
{
	return sysfs__read_until(root, path, NULL, buf, size);
}

int sysfs__read_u64(const char *root, const char *path, uint64_t *value)
{
	char buf[64];
	int len = sysfs__read(root, path, buf, sizeof(buf));

	if (len < 0)
		return len;
	return number__parse_u64(buf, value);
}
