// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"

/* Where the hierarchy is mounted: the first of v1's, else the first of v2. 0 or -errno. */
static int find_mount(const struct sysroots *roots, char *dir, size_t size)
{
	char path[PATH_MAX];
	struct mntent *entry;
	FILE *mounts;
	int err = -ENODEV;

	snprintf(path, sizeof(path), "%s/mounts", roots->procfs);
	mounts = setmntent(path, "re");
	if (!mounts)
		return -errno;
	while ((entry = getmntent(mounts))) {
		if (!strcmp(entry->mnt_type, "cgroup") && hasmntopt(entry, "perf_event")) {
			err = snprintf(dir, size, "%s", entry->mnt_dir) < (int)size ? 0 : -ENAMETOOLONG;
			break;
		}
		if (err && !strcmp(entry->mnt_type, "cgroup2"))
			err = snprintf(dir, size, "%s", entry->mnt_dir) < (int)size ? 0 : -ENAMETOOLONG;
	}
	endmntent(mounts);
	return err;
}

static int open_dir(const char *mount, const char *name, int *fd, struct strbuf *why)
{
	struct strbuf path = STRBUF_INIT;
	int err = 0;

	strbuf__addf(&path, "%s/%s", mount, name);
	if (strbuf__failed(&path))
		return -ENOMEM;
	*fd = open(path.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0) {
		err = -errno;
		strbuf__addf(why, "there is no control group %s", path.text);
		if (err != -ENOENT)
			strbuf__addf(why, ": %s", strerror(-err));
	}
	strbuf__free(&path);
	return err;
}

int cgroup__open(const struct sysroots *roots, const char *name, struct cgroup **out, struct strbuf *why)
{
	struct cgroup *cgroup = calloc(1, sizeof(*cgroup));
	char mount[PATH_MAX];
	int err;

	*out = NULL;
	if (!cgroup)
		return -ENOMEM;
	cgroup->fd = -1;
	cgroup->name = strdup(name);
	err = cgroup->name ? find_mount(roots, mount, sizeof(mount)) : -ENOMEM;
	if (err && err != -ENOMEM)
		strbuf__addf(why,
			     "no hierarchy of control groups is mounted that perf events know (%s)\n"
			     "mount -t cgroup2 none /sys/fs/cgroup",
			     strerror(-err));
	err = err ?: open_dir(mount, name, &cgroup->fd, why);
	if (err)
		cgroup__close(cgroup);
	else
		*out = cgroup;
	return err;
}

void cgroup__close(struct cgroup *cgroup)
{
	if (!cgroup)
		return;
	if (cgroup->fd >= 0)
		close(cgroup->fd);
	free(cgroup->name);
	free(cgroup);
}
