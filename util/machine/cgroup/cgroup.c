// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cgroup/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/cgroup/cgroup-dir.h"

/* The root of each hierarchy has this id. */
#define ROOT_ID 1

/*
 * The file handle of a cgroup's directory contains the cgroup's id (kernfs_node.id; Linux 5.5 or
 * later).
 */
union id_handle {
	struct file_handle head;
	char room[sizeof(struct file_handle) + sizeof(uint64_t)];
};

/*
 * Finds the first mount of v1's perf_event hierarchy. If there is none, finds the first mount of
 * v2. Returns 0 or -errno.
 */
static int find_mount(const struct sysroots *roots, struct cgroup_mount *mount)
{
	char path[PATH_MAX];
	struct mntent *entry = NULL;
	FILE *mounts;

	snprintf(path, sizeof(path), "%s/mounts", roots->procfs);
	mounts = setmntent(path, "re");
	if (!mounts)
		return -errno;
	while (!mount->v1 && (entry = getmntent(mounts))) {
		mount->v1 = !strcmp(entry->mnt_type, "cgroup") && hasmntopt(entry, "perf_event");
		if (!mount->v1 && (mount->dir || strcmp(entry->mnt_type, "cgroup2") != 0))
			continue;
		free(mount->dir);
		mount->dir = strdup(entry->mnt_dir);
		if (!mount->dir)
			break;
	}
	endmntent(mounts);
	return mount->dir ? 0 : entry ? -ENOMEM : -ENODEV;
}

int cgroup_mount__find(const struct sysroots *roots, struct cgroup_mount *mount, struct strbuf *why)
{
	int err;

	*mount = (struct cgroup_mount){};
	err = find_mount(roots, mount);
	if (err == -ENOENT)
		return reason__set(why, err, "the cgroups cannot be found: %s",
				   procfs_tasks__why_not(PROCFS_MISSING));
	return reason__set(why, err,
			   "no cgroup hierarchy that perf events support is mounted (%s)\n"
			   "mount -t cgroup2 none /sys/fs/cgroup",
			   strerror(-err));
}

void cgroup_mount__free(struct cgroup_mount *mount)
{
	free(mount->dir);
	mount->dir = NULL;
}

char *cgroup__path(const char *name)
{
	char *path = malloc(strlen(name) + 2);
	size_t len = 0;

	while (path && *name) {
		size_t part = strcspn(name, "/");

		if (part == 2 && !strncmp(name, "..", 2)) {
			while (len && path[--len] != '/')
				;
		} else if (part && !(part == 1 && *name == '.')) {
			path[len++] = '/';
			memcpy(path + len, name, part);
			len += part;
		}
		name += part + (name[part] == '/');
	}
	if (path)
		path[len] = '\0';
	return path;
}

/*
 * Returns whether ".." in @name leads above the mount, even if the rest of @name leads back.
 * Cgroups above the mount are not visible.
 */
static bool leads_out(const char *name)
{
	int depth = 0;

	while (*name && depth >= 0) {
		size_t part = strcspn(name, "/");

		if (part == 2 && !strncmp(name, "..", 2))
			depth--;
		else if (part && !(part == 1 && *name == '.'))
			depth++;
		name += part + (name[part] == '/');
	}
	return depth < 0;
}

/*
 * Reads the id of the open cgroup @fd. On a file system without file handles (only in tests), reads
 * the inode number instead. Returns 0 or -errno.
 */
static int read_id(int fd, uint64_t *id)
{
	union id_handle handle = { .head.handle_bytes = sizeof(uint64_t) };
	struct stat st;
	int mount_id;

	if (!name_to_handle_at(fd, "", &handle.head, &mount_id, AT_EMPTY_PATH) &&
	    handle.head.handle_bytes == sizeof(uint64_t)) {
		memcpy(id, handle.head.f_handle, sizeof(*id));
		return 0;
	}
	if (fstat(fd, &st))
		return -errno;
	*id = st.st_ino;
	return 0;
}

static int open_dir(const char *mount, const char *name, int *fd, struct strbuf *why)
{
	int err = 0;

	if (leads_out(name))
		return reason__set(why, -ENOENT,
				   "%s is not a cgroup: it leads out of the hierarchy at %s", name,
				   mount);
	*fd = cgroup_dir__open(mount, name);
	if (*fd < 0) {
		err = *fd;
		strbuf__addf(why, "there is no cgroup %s/%s", mount, name);
		if (err != -ENOENT)
			strbuf__addf(why, ": %s", strerror(-err));
	}
	return err;
}

int cgroup__open(const struct cgroup_mount *mount, const char *name, struct cgroup **out,
		 struct strbuf *why)
{
	struct cgroup *cgroup = calloc(1, sizeof(*cgroup));
	int err;

	*out = NULL;
	if (!cgroup)
		return -ENOMEM;
	cgroup->fd = -1;
	cgroup->name = strdup(name);
	cgroup->path = cgroup__path(name);
	cgroup->v1 = mount->v1;
	err = cgroup->name && cgroup->path ? 0 : -ENOMEM;
	err = err ?: open_dir(mount->dir, name, &cgroup->fd, why);
	if (!err) {
		err = read_id(cgroup->fd, &cgroup->id);
		if (err)
			strbuf__addf(why, "cannot read the id of the cgroup %s: %s", name,
				     strerror(-err));
	}
	if (err)
		cgroup__close(cgroup);
	else
		*out = cgroup;
	return err;
}

int cgroup__find_id(const struct cgroup_mount *mount, const char *name, uint64_t *id)
{
	struct strbuf why = STRBUF_INIT;
	int fd = -1, err = open_dir(mount->dir, name, &fd, &why);

	err = err ?: read_id(fd, id);
	if (fd >= 0)
		close(fd);
	strbuf__free(&why);
	return err;
}

bool cgroup_mount__is_whole(const struct cgroup_mount *mount)
{
	uint64_t id;

	return !cgroup__find_id(mount, "", &id) && id == ROOT_ID;
}

void cgroup__close(struct cgroup *cgroup)
{
	if (!cgroup)
		return;
	cgroup__close_fd(cgroup);
	free(cgroup->path);
	free(cgroup->name);
	free(cgroup);
}

void cgroup__close_fd(struct cgroup *cgroup)
{
	if (cgroup->fd >= 0)
		close(cgroup->fd);
	cgroup->fd = -1;
}
