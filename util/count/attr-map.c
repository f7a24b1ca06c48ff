// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/attr-map.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/evsel.h"

#define BPFFS "/sys/fs/bpf"
/* Beside root nobody can have it, so nobody but root can hold it. */
#define LOCK_FILE "/run/pstat.lock"
#define LOCK_WAIT_NS (800 * NSEC_PER_MSEC)
/* … and as long as who holds it is at work, when many begin at once */
#define LOCK_WAIT_ALL_NS (20 * NSEC_PER_SEC)
/* perf locks the map's fd, whose inode is that of all such fds: anybody can hold that for ever. */
#define PERF_LOCK_WAIT_NS (100 * NSEC_PER_MSEC)
#define LOCK_RETRY_US 2000
/* many that ask often would take the CPU from the one that has it */
#define LOCK_RETRY_MAX_US 50000

#define KEY_MIN PERF_ATTR_SIZE_VER0
#define KEY_MAX 4096
#define ENTRIES 4096

struct attr_map {
	int fd;
	uint32_t key_size; /* of whoever made the map: attrs grow over the years */
	int lock_fd;	   /* -1 while not locked */
	bool has_turn;	   /* it is locked by this */
};

/* ---- the file ---- */

static bool is_bpffs(const char *directory)
{
	struct statfs fs;

	return !statfs(directory, &fs) && (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

/* The directory of @path must be on a bpffs: mounts one at the usual place. */
static int check_bpffs(const char *path, struct strbuf *why)
{
	char copy[PATH_MAX];
	const char *directory;
	int err;

	snprintf(copy, sizeof(copy), "%s", path);
	directory = dirname(copy);
	if (is_bpffs(directory))
		return 0;
	if (access(directory, F_OK)) {
		err = -errno;
		strbuf__addf(why, "%s: %s", directory, strerror(-err));
		return err;
	}
	if (strcmp(directory, BPFFS) != 0) {
		strbuf__addf(why,
			     "%s is on no BPF file system, and only there maps can be pinned\nname a path below " BPFFS,
			     directory);
		return -EINVAL;
	}
	if (!mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=700")) {
		pr_info("mounted a BPF file system at " BPFFS);
		return 0;
	}
	err = -errno;
	strbuf__addf(why,
		     "no BPF file system is mounted at " BPFFS ", and it cannot be (%s)\nrun: mount -t bpf bpf " BPFFS,
		     strerror(-err));
	return err;
}

static int refuse(struct strbuf *why, const char *path, const char *what)
{
	strbuf__addf(why, "%s: %s\nremove it, or name another with --bpf-attr-map", path, what);
	return -EINVAL;
}

/* Is what is pinned there the map? */
static int check_shape(struct attr_map *map, const char *path, struct strbuf *why)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(map->fd, &info, &len) || len < offsetof(struct bpf_map_info, name))
		return refuse(why, path, "what is pinned there is no BPF map");
	/* programs and links answer too, with other things at these places */
	if (info.type != BPF_MAP_TYPE_HASH || info.value_size != sizeof(struct attr_map_entry) ||
	    info.key_size < KEY_MIN || info.key_size > KEY_MAX || info.key_size % sizeof(uint64_t))
		return refuse(why, path,
			      "what is pinned there is no map from attrs to leaders (a hash of 8 byte values)");
	map->key_size = info.key_size;
	return 0;
}

static int make(struct attr_map *map, const char *path, struct strbuf *why)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int err;

	map->fd = bpf_map_create(BPF_MAP_TYPE_HASH, "attr_map", PERF_ATTR_SIZE, sizeof(struct attr_map_entry), ENTRIES,
				 &opts);
	if (map->fd < 0) {
		err = -errno;
		strbuf__addf(why, "cannot make a BPF map: %s", strerror(-err));
		return err;
	}
	if (!bpf_obj_pin(map->fd, path))
		return 0;
	err = -errno;
	if (err != -EEXIST) {
		strbuf__addf(why, "%s: cannot pin a map: %s", path, strerror(-err));
		return err;
	}
	close(map->fd);
	map->fd = bpf_obj_get(path);
	if (map->fd >= 0)
		return 0;
	err = -errno;
	strbuf__addf(why, "%s: %s", path, strerror(-err));
	return err;
}

static int open_or_make(struct attr_map *map, const char *path, struct strbuf *why)
{
	int err;

	map->fd = bpf_obj_get(path);
	if (map->fd < 0 && errno != ENOENT) {
		err = -errno;
		strbuf__addf(why, "%s: %s", path, strerror(-err));
		return err;
	}
	if (map->fd < 0)
		err = make(map, path, why);
	else
		err = 0;
	return err ?: check_shape(map, path, why);
}

int attr_map__open(const char *path, struct attr_map **out, struct strbuf *why)
{
	struct attr_map *map;
	int err;

	*out = NULL;
	err = check_bpffs(path, why);
	if (err)
		return err;
	map = calloc(1, sizeof(*map));
	if (!map) {
		strbuf__adds(why, "out of memory");
		return -ENOMEM;
	}
	map->fd = map->lock_fd = -1;
	err = open_or_make(map, path, why);
	if (err)
		attr_map__close(map);
	else
		*out = map;
	return err;
}

void attr_map__close(struct attr_map *map)
{
	if (!map)
		return;
	if (map->lock_fd >= 0)
		attr_map__unlock(map);
	if (map->fd >= 0)
		close(map->fd);
	free(map);
}

/* ---- the locks ---- */

static int try_flock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
}

static bool may_retry(int err)
{
	return err == -EWOULDBLOCK || err == -EINTR;
}

static int flock_within(int fd, uint64_t wait_ns)
{
	uint64_t end = clock__now() + wait_ns;
	int err;

	while ((err = try_flock(fd)) && may_retry(err) && clock__now() < end)
		usleep(LOCK_RETRY_US);
	return err;
}

/* The lock file has the id of the session that holds it; 0 when nobody does, or somebody else. */
static void note_holder(int fd, pid_t pid)
{
	if (pwrite(fd, &pid, sizeof(pid), 0) != (ssize_t)sizeof(pid))
		pr_debug(LOCK_FILE ": %s", strerror(errno));
}

/* Does the session that holds the lock go on? One that was stopped does not, nor is one that is gone of any use. */
static bool holder_works(int fd)
{
	char path[32], text[1024] = "", *state;
	pid_t pid = 0;

	if (pread(fd, &pid, sizeof(pid), 0) != (ssize_t)sizeof(pid) || pid <= 0)
		return false;
	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	if (sysfs__read(sysroots__host()->procfs, path, text, sizeof(text)) < 0)
		return false;
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] && !strchr("TtZX", state[2]);
}

/* Many sessions may begin at once, on few CPUs: each has its turn. Whoever stands still with the lock is not waited for. */
static int take_turn(int fd)
{
	uint64_t now = clock__now(), last = now + LOCK_WAIT_ALL_NS, end = now + LOCK_WAIT_NS;
	useconds_t retry = LOCK_RETRY_US;
	int err;

	while ((err = try_flock(fd)) && may_retry(err) && now < last && now < end) {
		usleep(retry);
		retry = retry * 2 > LOCK_RETRY_MAX_US ? LOCK_RETRY_MAX_US : retry * 2;
		now = clock__now();
		if (holder_works(fd))
			end = now + LOCK_WAIT_NS;
	}
	if (!err)
		note_holder(fd, getpid());
	return err;
}

void attr_map__lock(struct attr_map *map)
{
	map->lock_fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (map->lock_fd < 0)
		pr_info("%s: %s: going on without this lock", LOCK_FILE, strerror(errno));
	else if (!take_turn(map->lock_fd))
		map->has_turn = true;
	else
		pr_info("%s: held by another pstat for too long: going on without this lock", LOCK_FILE);
	if (flock_within(map->fd, PERF_LOCK_WAIT_NS))
		pr_info("the lock that perf takes is held by somebody: going on without it");
}

void attr_map__unlock(struct attr_map *map)
{
	flock(map->fd, LOCK_UN);
	if (map->has_turn)
		note_holder(map->lock_fd, 0);
	if (map->lock_fd >= 0)
		close(map->lock_fd);
	map->lock_fd = -1;
	map->has_turn = false;
}

/* ---- the keys ---- */

union key {
	char bytes[KEY_MAX];
	union perf_attr attr;
};

/* The attr as perf's parser leaves it: what says which event it is, and in what is sampled with tracepoints and breakpoints. */
static void fill_key(const struct attr_map *map, const struct evsel *evsel, union key *key)
{
	struct perf_event_attr *attr = &key->attr.attr;

	memset(key, 0, sizeof(*key));
	key->attr = evsel->attr;
	attr->size = map->key_size;
	if (attr->type == PERF_TYPE_TRACEPOINT) {
		attr->sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
		attr->sample_period = 1;
	} else if (attr->type == PERF_TYPE_BREAKPOINT) {
		attr->sample_period = 1;
	}
}

bool attr_map__takes(const struct attr_map *map, const struct evsel *evsel)
{
	union key key;

	fill_key(map, evsel, &key);
	for (size_t i = map->key_size; i < sizeof(key.attr); i++)
		if (key.bytes[i])
			return false;
	/* an address in this machine's memory, and a filter, are no part of the key */
	return !evsel->filter && !evsel->symbol_file;
}

int attr_map__find(const struct attr_map *map, const struct evsel *evsel, struct attr_map_entry *entry)
{
	union key key;

	fill_key(map, evsel, &key);
	if (!bpf_map_lookup_elem(map->fd, &key, entry))
		return 0;
	if (evsel->guest_host_given)
		return -ENOENT;
	key.attr.attr.exclude_guest = !key.attr.attr.exclude_guest;
	return bpf_map_lookup_elem(map->fd, &key, entry) ? -ENOENT : 0;
}

/* ---- all that is in ---- */

#define WALK_MAX 65536

/*
 * Calls @visit with each key, until it returns something else than 0. It may delete the entry: the next key is asked for before. Bounded, as
 * others may put some in meanwhile.
 */
static void for_each_key(const struct attr_map *map, int (*visit)(void *arg, const union key *key), void *arg)
{
	union key keys[2];
	int n;

	for (n = 0; n < WALK_MAX && !bpf_map_get_next_key(map->fd, n ? &keys[!(n & 1)] : NULL, &keys[n & 1]); n++)
		if (n && visit(arg, &keys[!(n & 1)]))
			return;
	if (n)
		visit(arg, &keys[!(n & 1)]);
}

struct attrs_of {
	const struct attr_map *map;
	uint32_t link_id;
	union perf_attr *attrs;
	int nr, max;
};

/* The key as it is, but for what the attr of an evsel does not say. */
static int add_attr(void *arg, const union key *key)
{
	struct attrs_of *of = arg;
	struct attr_map_entry entry;
	union perf_attr *attr;

	if (bpf_map_lookup_elem(of->map->fd, key, &entry) || entry.link_id != of->link_id)
		return 0;
	attr = &of->attrs[of->nr++];
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, key, of->map->key_size < sizeof(*attr) ? of->map->key_size : sizeof(*attr));
	attr->attr.size = PERF_ATTR_SIZE;
	attr->attr.sample_type = 0;
	attr->attr.sample_period = 0;
	return of->nr == of->max;
}

int attr_map__attrs_of(const struct attr_map *map, uint32_t link_id, union perf_attr *attrs, int max)
{
	struct attrs_of of = { .map = map, .link_id = link_id, .attrs = attrs, .max = max };

	for_each_key(map, add_attr, &of);
	return of.nr;
}

/* ---- what is put in ---- */

struct sweep {
	struct attr_map *map;
	int deleted;
};

/* Deletes the entry when its leader is gone. */
static int drop_if_dead(void *arg, const union key *key)
{
	struct sweep *sweep = arg;
	struct attr_map_entry entry;
	int link_fd;

	if (bpf_map_lookup_elem(sweep->map->fd, key, &entry))
		return 0;
	link_fd = bpf_link_get_fd_by_id(entry.link_id);
	if (link_fd >= 0)
		close(link_fd);
	else if (errno == ENOENT)
		sweep->deleted += !bpf_map_delete_elem(sweep->map->fd, key);
	return 0;
}

/* Deletes the entries of leaders that are gone. Returns how many. */
static int sweep_dead(struct attr_map *map)
{
	struct sweep sweep = { .map = map };

	for_each_key(map, drop_if_dead, &sweep);
	return sweep.deleted;
}

int attr_map__publish(struct attr_map *map, const struct evsel *evsel, const struct attr_map_entry *entry)
{
	union key key;

	fill_key(map, evsel, &key);
	if (!bpf_map_update_elem(map->fd, &key, entry, BPF_ANY))
		return 0;
	if (errno != E2BIG || !sweep_dead(map))
		return -errno;
	return bpf_map_update_elem(map->fd, &key, entry, BPF_ANY) ? -errno : 0;
}
