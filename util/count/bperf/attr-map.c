// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/attr-map.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "perf-sys.h"
#include "util/count/share/pinned-map.h"
#include "util/count/share/shared-link.h"
#include "util/event/evsel.h"

#define KEY_MIN PERF_ATTR_SIZE_VER0
#define ENTRIES 4096

static uint32_t link_of(const void *key, const void *value)
{
	(void)key;
	return ((const struct attr_map_entry *)value)->link_id;
}

const struct pinned_map_kind attr_map_kind = {
	.name = "attr_map",
	.what = "map from attrs to leaders (a hash with 8-byte values)\nremove it, or give another "
		"path with --bpf-attr-map",
	.key_size = PERF_ATTR_SIZE,
	.value_size = sizeof(struct attr_map_entry),
	.entries = ENTRIES,
	.key_min = KEY_MIN,
	.key_max = PINNED_KEY_MAX,
	.locked_by_perf = true,
	.link_of = link_of,
};

/* ---- the keys ---- */

union key {
	char bytes[PINNED_KEY_MAX];
	union perf_attr attr;
};

/*
 * Makes the key of @evsel for a map with keys of @size bytes. Like perf's parser, sets
 * sample_period for tracepoints and breakpoints, and sample_type for tracepoints, so that perf and
 * pstat make the same key for an event.
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

bool attr_map__takes(const struct pinned_map *map, const struct evsel *evsel)
{
	union key key;

	fill_key(map->key_size, evsel, &key);
	for (size_t i = map->key_size; i < sizeof(key.attr); i++)
		if (key.bytes[i])
			return false;
	/* a key cannot contain a filter or the symbol of a breakpoint */
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
 * Looks up @key in @map. On success, stores the entry in *@entry, sets attr.size in @key to
 * PERF_ATTR_SIZE, copies @key to *@found, and returns 0. Returns -ENOENT if @map has no entry for
 * @key, or if the leader of the entry no longer exists.
 */
static int look_up(const struct pinned_map *map, union key *key, struct attr_map_entry *entry,
		   struct attr_key *found)
{
	if (bpf_map_lookup_elem(map->fd, key, entry) || shared_link__is_gone(entry->link_id))
		return -ENOENT;
	key->attr.attr.size = PERF_ATTR_SIZE;
	memcpy(found->bytes, key->bytes, sizeof(found->bytes));
	return 0;
}

int attr_map__find(const struct pinned_map *map, const struct evsel *evsel,
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

int attr_map__attrs_of(const struct pinned_map *map, uint32_t link_id, union perf_attr *attrs,
		       int max)
{
	struct pinned_walk walk = { .nr = 0 };
	int nr = 0;

	while (nr < max && !pinned_map__next(map, &walk)) {
		if (link_of(walk.key, walk.value) != link_id)
			continue;
		/* clear the sample fields, which fill_key() sets in the keys of some events */
		memcpy(&attrs[nr], walk.key, sizeof(attrs[nr]));
		attrs[nr].attr.size = PERF_ATTR_SIZE;
		attrs[nr].attr.sample_type = 0;
		attrs[nr++].attr.sample_period = 0;
	}
	return nr;
}

int attr_map__publish(const struct pinned_map *map, const struct evsel *evsel,
		      const struct attr_map_entry *entry)
{
	union key key;

	fill_key(map->key_size, evsel, &key);
	return pinned_map__publish(map, &key, entry);
}
