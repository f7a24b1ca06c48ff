// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/attr-map.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/share/pinned-map.h"
#include "util/count/share/share-lock.h"
#include "util/count/share/shared-link.h"
#include "util/event/evsel.h"

/*
 * perf uses flock(2) on the map's fd. All such fds share one inode, so any user can hold this lock
 * for an unlimited time.
 */
#define PERF_LOCK_WAIT_NS (100 * NSEC_PER_MSEC)

#define KEY_MIN PERF_ATTR_SIZE_VER0
#define KEY_MAX 4096
#define ENTRIES 4096

struct attr_map {
	int fd;
	uint32_t key_size; /* depends on who made the map: attrs grow over the years */
	struct share_lock lock;
};

static const struct pinned_map_kind kind = {
	.name = "attr_map",
	.what = "map from attrs to leaders (a hash of 8 byte values)\nremove it, or name another "
		"with --bpf-attr-map",
	.key_size = PERF_ATTR_SIZE,
	.value_size = sizeof(struct attr_map_entry),
	.entries = ENTRIES,
	.key_min = KEY_MIN,
	.key_max = KEY_MAX,
};

int attr_map__open(const char *path, struct attr_map **out, struct strbuf *why)
{
	struct attr_map *map = calloc(1, sizeof(*map));

	*out = NULL;
	if (!map)
		return reason__set(why, -ENOMEM, "out of memory");
	map->lock = SHARE_LOCK_NONE;
	map->fd = pinned_map__open(path, &kind, &map->key_size, why);
	if (map->fd < 0) {
		int err = map->fd;

		attr_map__close(map);
		return err;
	}
	*out = map;
	return 0;
}

void attr_map__close(struct attr_map *map)
{
	if (!map)
		return;
	if (map->lock.fd >= 0)
		attr_map__unlock(map);
	if (map->fd >= 0)
		close(map->fd);
	free(map);
}

/* ---- the locks ---- */

void attr_map__lock(struct attr_map *map)
{
	share_lock__take(&map->lock);
	if (share_lock__flock_within(map->fd, PERF_LOCK_WAIT_NS))
		pr_info("the lock that perf takes is held by somebody: going on without it");
}

void attr_map__unlock(struct attr_map *map)
{
	flock(map->fd, LOCK_UN);
	share_lock__release(&map->lock);
}

/* ---- the keys ---- */

union key {
	char bytes[KEY_MAX];
	union perf_attr attr;
};

/*
 * Sets @attr as perf's parser would: the fields that identify the event and, for tracepoints and
 * breakpoints, what is sampled.
 */
static void fill_key(uint32_t size, const struct evsel *evsel, union key *key)
{
	struct perf_event_attr *attr = &key->attr.attr;

	memset(key, 0, sizeof(*key));
	key->attr = evsel->attr;
	attr->size = size;
	if (attr->type == PERF_TYPE_TRACEPOINT) {
		attr->sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
				    PERF_SAMPLE_PERIOD;
		attr->sample_period = 1;
	} else if (attr->type == PERF_TYPE_BREAKPOINT) {
		attr->sample_period = 1;
	}
}

bool attr_map__takes(const struct attr_map *map, const struct evsel *evsel)
{
	union key key;

	fill_key(map->key_size, evsel, &key);
	for (size_t i = map->key_size; i < sizeof(key.attr); i++)
		if (key.bytes[i])
			return false;
	/* the key describes neither filters nor breakpoints on symbols */
	return !evsel->filter && !evsel->symbol_file;
}

struct attr_key attr_map__key_of(const struct evsel *evsel)
{
	struct attr_key made;
	union key key;

	fill_key(PERF_ATTR_SIZE, evsel, &key);
	memcpy(made.bytes, key.bytes, sizeof(made.bytes));
	return made;
}

/*
 * Looks for an entry whose leader still exists. @key has the format of @map. If there is such an
 * entry, writes *@found, whose format does not depend on the map.
 */
static int look_up(const struct attr_map *map, union key *key, struct attr_map_entry *entry,
		   struct attr_key *found)
{
	if (bpf_map_lookup_elem(map->fd, key, entry) || shared_link__is_gone(entry->link_id))
		return -ENOENT;
	key->attr.attr.size = PERF_ATTR_SIZE;
	memcpy(found->bytes, key->bytes, sizeof(found->bytes));
	return 0;
}

int attr_map__find(const struct attr_map *map, const struct evsel *evsel,
		   struct attr_map_entry *entry, struct attr_key *found)
{
	union key key;

	fill_key(map->key_size, evsel, &key);
	if (!look_up(map, &key, entry, found))
		return 0;
	if (evsel->guest_host_given)
		return -ENOENT;
	key.attr.attr.exclude_guest = !key.attr.attr.exclude_guest;
	return look_up(map, &key, entry, found);
}

/* ---- all that is in ---- */

#define WALK_MAX 65536

/* An iteration over all keys. Zeroed at first. */
struct walk {
	union key key, next;
	int nr;
	bool has_next;
};

/*
 * Moves to the next key. The caller may then delete its entry, because the iteration already knows
 * the key after it. The number of steps is limited, because other sessions may add keys meanwhile.
 */
static bool walk__next(struct walk *walk, const struct attr_map *map)
{
	if (!walk->nr++)
		walk->has_next = !bpf_map_get_next_key(map->fd, NULL, &walk->next);
	if (!walk->has_next || walk->nr > WALK_MAX)
		return false;
	walk->key = walk->next;
	walk->has_next = !bpf_map_get_next_key(map->fd, &walk->key, &walk->next);
	return true;
}

int attr_map__attrs_of(const struct attr_map *map, uint32_t link_id, union perf_attr *attrs,
		       int max)
{
	struct attr_map_entry entry;
	struct walk walk = { 0 };
	int nr = 0;

	while (nr < max && walk__next(&walk, map)) {
		if (bpf_map_lookup_elem(map->fd, &walk.key, &entry) || entry.link_id != link_id)
			continue;
		/* the key as it is, except for what the attr of an evsel does not have */
		attrs[nr] = walk.key.attr;
		attrs[nr].attr.size = PERF_ATTR_SIZE;
		attrs[nr].attr.sample_type = 0;
		attrs[nr++].attr.sample_period = 0;
	}
	return nr;
}

/* ---- what is put in ---- */

/* Deletes the entries whose leaders no longer exist. Returns the number of deleted entries. */
static int sweep_dead(const struct attr_map *map)
{
	struct attr_map_entry entry;
	struct walk walk = { 0 };
	int deleted = 0;

	while (walk__next(&walk, map))
		if (!bpf_map_lookup_elem(map->fd, &walk.key, &entry) &&
		    shared_link__is_gone(entry.link_id))
			deleted += !bpf_map_delete_elem(map->fd, &walk.key);
	return deleted;
}

int attr_map__publish(struct attr_map *map, const struct evsel *evsel,
		      const struct attr_map_entry *entry)
{
	union key key;
	int err;

	fill_key(map->key_size, evsel, &key);
	if (!bpf_map_update_elem(map->fd, &key, entry, BPF_ANY))
		return 0;
	err = -errno;
	if (err != -E2BIG || !sweep_dead(map))
		return err;
	return bpf_map_update_elem(map->fd, &key, entry, BPF_ANY) ? -errno : 0;
}
