// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/cgroup-members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/cgroup.h"

/* ---- parents ---- */

struct place {
	uint64_t id;
	uint32_t slot;
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* One who was killed while it took a slot leaves one of that id that does not count: the last has the word. */
static size_t drop_doubles(struct place *places, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (kept && places[kept - 1].id == places[i].id) {
			if (places[i].slot > places[kept - 1].slot)
				places[kept - 1] = places[i];
		} else {
			places[kept++] = places[i];
		}
	}
	return kept;
}

static uint32_t find_nearest(const struct cgroup_member *member, const struct place *places, size_t nr)
{
	uint32_t nr_above = __atomic_load_n(&member->nr_above, __ATOMIC_RELAXED); /* once: others write to it */

	if (nr_above > CGROUP_MAX_ABOVE)
		nr_above = CGROUP_MAX_ABOVE;
	for (uint32_t i = 0; i < nr_above; i++) {
		struct place key = { .id = member->above[i] };
		const struct place *found = bsearch(&key, places, nr, sizeof(*places), compare);

		if (found)
			return found->slot;
	}
	return 0;
}

int cgroup_members__find_parents(const struct cgroup_member *members, uint32_t nr, uint32_t *parent)
{
	struct place *places = calloc((size_t)nr + 1, sizeof(*places));
	size_t nr_places = 0;

	if (!places)
		return -ENOMEM;
	for (uint32_t slot = 1; slot < nr; slot++)
		if (members[slot].id)
			places[nr_places++] = (struct place){ .id = members[slot].id, .slot = slot };
	qsort(places, nr_places, sizeof(*places), compare);
	nr_places = drop_doubles(places, nr_places);
	for (uint32_t slot = 0; slot < nr; slot++)
		parent[slot] = slot && members[slot].id ? find_nearest(&members[slot], places, nr_places) : 0;
	free(places);
	return 0;
}

/* ---- who is above ---- */

/* Up to where the last part of @path begins: "" of "/a". */
static size_t dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static int look_up(const struct cgroup_mount *mount, const char *path, struct cgroup_member *member)
{
	char *name = strdup(path);
	size_t len = strlen(path);
	int err = name ? 0 : -ENOMEM;
	uint64_t id;

	/* the root has none above it */
	while (!err && len) {
		len = dir_len(name);
		name[len] = '\0';
		err = member->nr_above == CGROUP_MAX_ABOVE ? -E2BIG : cgroup__find_id(mount, name, &id);
		if (!err)
			member->above[member->nr_above++] = id;
	}
	free(name);
	return err;
}

int cgroup_members__fill(const struct cgroup_mount *mount, const struct cgroup *cgroup, struct cgroup_member *member,
			 const struct cgroup *last_cgroup, const struct cgroup_member *last)
{
	size_t len = dir_len(cgroup->path);

	memset(member, 0, sizeof(*member));
	member->id = cgroup->id;
	if (!last || !*cgroup->path || !*last_cgroup->path || dir_len(last_cgroup->path) != len ||
	    strncmp(cgroup->path, last_cgroup->path, len) != 0)
		return look_up(mount, cgroup->path, member);
	member->nr_above = last->nr_above;
	memcpy(member->above, last->above, sizeof(member->above));
	return 0;
}
