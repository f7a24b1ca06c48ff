// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/pinned-map.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/trusted-path.h"
#include "util/count/share/shared-link.h"

#define BPFFS "/sys/fs/bpf"

/* ---- where to pin ---- */

/* Returns 1 if @directory is on a bpffs, 0 if @directory is on another file system, or -errno. */
static int is_bpffs(const char *directory)
{
	struct statfs fs;

	return statfs(directory, &fs) ? -errno : (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

/*
 * Checks that the directory of @path is on a bpffs. If this directory is BPFFS and no bpffs is
 * mounted there, mounts one. Returns 0, or -errno with the reason in @why.
 */
static int check_dir(const char *path, struct strbuf *why)
{
	char copy[PATH_MAX];
	const char *directory;
	int err, found;

	snprintf(copy, sizeof(copy), "%s", path);
	directory = dirname(copy);
	found = is_bpffs(directory);
	if (found > 0)
		return 0;
	/*
	 * if the directory cannot be examined, do not mount a bpffs there, because the mount could
	 * hide an existing bpffs and its pinned objects
	 */
	if (found < 0) {
		err = found;
		return reason__set(why, err, "%s: %s", directory, strerror(-err));
	}
	if (strcmp(directory, BPFFS) != 0)
		return reason__set(why, -EINVAL,
				   "%s is not on a BPF file system, where maps are pinned\ngive a "
				   "path below " BPFFS,
				   directory);
	if (!mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=700")) {
		pr_info("mounted a BPF file system at " BPFFS);
		return 0;
	}
	err = -errno;
	return reason__set(why, err,
			   "no BPF file system is mounted at " BPFFS
			   ", and pstat cannot mount one (%s)\n"
			   "run: mount -t bpf -o mode=700 bpf " BPFFS,
			   strerror(-err));
}

/* ---- pinned objects ---- */

static void split(const char *path, char *directory, const char **name)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	snprintf(directory, PATH_MAX, "%s", dirname(copy));
	*name = strrchr(path, '/');
	*name = *name ? *name + 1 : path;
}

/*
 * Opens the pinned object that was checked through @fd, and no other object. If /proc is not
 * mounted, opens the object by its path. The path still leads to the checked object, because the
 * directories in the path were also checked (trusted-path.h): no other user can replace the object.
 */
static int get_object(int fd, const char *path)
{
	char link[64];
	int object;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	object = bpf_obj_get(link);
	if (object < 0 && errno == ENOENT)
		object = bpf_obj_get(path);
	return object < 0 ? -errno : object;
}

static int check_file(int fd, const char *path, struct strbuf *why)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	/* refuse symbolic links, which may lead to an object that is not checked */
	if (S_ISLNK(st.st_mode))
		return reason__set(why, TRUSTED_PATH_REFUSED, "%s is a symbolic link", path);
	if (S_ISDIR(st.st_mode))
		return reason__set(why, TRUSTED_PATH_REFUSED, "%s is a directory", path);
	return trusted_path__check(&st, path, why);
}

static int open_checked(int directory_fd, const char *name, const char *path, struct strbuf *why)
{
	int fd = openat(directory_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), object, err;

	if (fd < 0)
		return -errno;
	err = check_file(fd, path, why);
	if (err == TRUSTED_PATH_REFUSED)
		strbuf__addf(why,
			     ": another user could use it to falsify counts\nremove it: rm -r %s",
			     path);
	object = err ?: get_object(fd, path);
	close(fd);
	return object;
}

/*
 * Opens the object that is pinned at @path, but refuses it if a user other than root and the
 * effective user could have pinned it. Returns an fd; TRUSTED_PATH_REFUSED with the reason and
 * advice in @why; or another -errno, for which @why may be empty.
 */
static int open_pinned(const char *path, struct strbuf *why)
{
	char directory[PATH_MAX];
	const char *name;
	int directory_fd, fd;

	split(path, directory, &name);
	directory_fd = trusted_path__open_dir(directory, why);
	if (directory_fd == TRUSTED_PATH_REFUSED)
		strbuf__addf(why,
			     ", so another user could replace the object pinned at %s\n"
			     "keep other users out of that directory: chown root, chmod go-w",
			     path);
	fd = directory_fd < 0 ? directory_fd : open_checked(directory_fd, name, path, why);
	if (directory_fd >= 0)
		close(directory_fd);
	return fd;
}

/* ---- the map ---- */

static int check_shape(int fd, const char *path, const struct pinned_map_kind *kind,
		       uint32_t *key_size, struct strbuf *why)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	/*
	 * this also refuses a program or a link: its info is shorter than the info of a map, or
	 * contains other data in place of the members that are checked here
	 */
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || len < offsetof(struct bpf_map_info, name) ||
	    info.type != BPF_MAP_TYPE_HASH || info.value_size != kind->value_size ||
	    info.key_size < kind->key_min || info.key_size > kind->key_max ||
	    (info.key_size - kind->key_min) % sizeof(uint64_t)) {
		return reason__set(why, -EINVAL, "%s: the object that is pinned there is not a %s",
				   path, kind->what);
	}
	*key_size = info.key_size;
	return 0;
}

/*
 * Makes and pins a map. Returns the fd of the map; -EEXIST if another session has just pinned a map
 * at @path; or another -errno with the reason in @why.
 */
static int make(const char *path, const struct pinned_map_kind *kind, struct strbuf *why)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, kind->name, kind->key_size, kind->value_size,
				kind->entries, &opts);
	int err;

	if (fd < 0) {
		err = -errno;
		return reason__set(why, err, "cannot make a BPF map: %s", strerror(-err));
	}
	if (!bpf_obj_pin(fd, path))
		return fd;
	err = -errno;
	close(fd);
	if (err != -EEXIST)
		strbuf__addf(why, "%s: cannot pin a map: %s", path, strerror(-err));
	return err;
}

/* Opens or makes the map. Returns an fd, or -errno with the reason in @why. */
static int open_or_make(struct pinned_map *map, const char *path, struct strbuf *why)
{
	int err = check_dir(path, why), fd;

	if (err)
		return err;
	fd = open_pinned(path, why);
	if (fd == -ENOENT) {
		map->key_size = map->kind->key_size;
		fd = make(path, map->kind, why);
		if (fd != -EEXIST)
			return fd;
		fd = open_pinned(path, why);
	}
	if (fd < 0) {
		if (!why->len)
			strbuf__addf(why, "%s: %s", path, strerror(-fd));
		return fd;
	}
	err = check_shape(fd, path, map->kind, &map->key_size, why);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int pinned_map__open(struct pinned_map *map, const char *path, struct strbuf *why)
{
	int fd = open_or_make(map, path, why);

	map->fd = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

void pinned_map__close(struct pinned_map *map)
{
	pinned_map__unlock(map);
	if (map->fd >= 0)
		close(map->fd);
	map->fd = -1;
}

/* ---- the locks ---- */

/*
 * How long to wait for the lock that perf uses. The lock belongs to an inode, and the fds of BPF
 * maps share one inode with those of other anonymous files, such as eventfds. So any user can hold
 * this lock indefinitely.
 */
#define PERF_LOCK_WAIT_NS (100 * NSEC_PER_MSEC)

void pinned_map__lock(struct pinned_map *map)
{
	share_lock__take(&map->lock);
	if (map->kind->locked_by_perf && share_lock__flock_within(map->fd, PERF_LOCK_WAIT_NS))
		pr_info("another process holds the lock that perf uses: pstat continues without "
			"the lock");
}

void pinned_map__unlock(struct pinned_map *map)
{
	if (map->kind->locked_by_perf && map->fd >= 0)
		flock(map->fd, LOCK_UN);
	share_lock__release(&map->lock);
}

/* ---- the entries ---- */

/*
 * The maximum number of entries in a walk. Without a maximum, a walk might never end if other
 * sessions kept adding entries.
 */
#define WALK_MAX 65536

static int next_key(const struct pinned_map *map, const void *key, void *next)
{
	return bpf_map_get_next_key(map->fd, key, next) ? -errno : 0;
}

int pinned_map__next(const struct pinned_map *map, struct pinned_walk *walk)
{
	if (!walk->nr)
		walk->err = next_key(map, NULL, walk->next);
	while (!walk->err && walk->nr++ < WALK_MAX) {
		memcpy(walk->key, walk->next, map->key_size);
		/* get the next key now, because the caller may delete this entry */
		walk->err = next_key(map, walk->key, walk->next);
		if (!bpf_map_lookup_elem(map->fd, walk->key, walk->value))
			return 0;
	}
	return walk->err ?: -EBUSY;
}

bool pinned_map__drop_dead(const struct pinned_map *map, const struct pinned_walk *walk)
{
	uint32_t link_id = map->kind->link_of(walk->key, walk->value);
	int err = shared_link__find(link_id);

	if (err == -ENOENT)
		bpf_map_delete_elem(map->fd, walk->key);
	else if (err && map->kind->report_unknown)
		map->kind->report_unknown(link_id, err);
	return err == -ENOENT;
}

/*
 * Deletes all entries whose leader (pinned-map.h) no longer exists. Returns whether any entry was
 * deleted.
 */
static bool drop_all_dead(const struct pinned_map *map)
{
	struct pinned_walk walk = { .nr = 0 };
	bool dropped = false;

	while (!pinned_map__next(map, &walk))
		dropped |= pinned_map__drop_dead(map, &walk);
	return dropped;
}

int pinned_map__publish(const struct pinned_map *map, const void *key, const void *value)
{
	int err = bpf_map_update_elem(map->fd, key, value, BPF_ANY) ? -errno : 0;

	if (err != -E2BIG || !drop_all_dead(map))
		return err;
	return bpf_map_update_elem(map->fd, key, value, BPF_ANY) ? -errno : 0;
}
