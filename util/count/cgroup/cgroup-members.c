// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/cgroup-members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/cgroup/cgroup.h"

/* ---- parents ---- */

/* A slot that has a cgroup: the id of the cgroup, and the number of cgroups above it. */
struct place {
	uint64_t id;
	uint32_t slot;
	uint32_t nr_above;
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

/*
 * @places must be sorted by id. If several places have the same cgroup, keeps only the place with
 * the highest slot. The other slots were reserved by sessions that were killed before they used
 * these slots. Returns the number of remaining places.
 */
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

/*
 * Looks in @places for the cgroups above @member's cgroup. Returns the slot of the nearest one that
 * is found, or 0 if none is found. @nr_above is the number of cgroups above @member's cgroup.
 * Accepts a cgroup only if it has fewer cgroups above it, so even invalid contents of the map
 * `members` cannot cause a cycle.
 */
static uint32_t find_nearest(const struct cgroup_member *member, uint32_t nr_above,
			     const struct place *places, size_t nr)
{
	for (uint32_t i = 0; i < nr_above; i++) {
		struct place key = { .id = member->above[i] };
		const struct place *found = bsearch(&key, places, nr, sizeof(*places), compare);

		if (found && found->nr_above < nr_above)
			return found->slot;
	}
	return 0;
}

/*
 * Stores in @places the slots whose members have an id, and returns the number of these slots.
 * Reads each value of @members only once, because other sessions may change the values.
 */
static size_t list_places(const struct cgroup_member *members, uint32_t nr, struct place *places)
{
	size_t nr_places = 0;

	for (uint32_t slot = 1; slot < nr; slot++) {
		struct place place = { .id = __atomic_load_n(&members[slot].id, __ATOMIC_RELAXED),
				       .slot = slot,
				       .nr_above = __atomic_load_n(&members[slot].nr_above,
								   __ATOMIC_RELAXED) };

		if (place.nr_above > CGROUP_MAX_ABOVE)
			place.nr_above = CGROUP_MAX_ABOVE;
		if (place.id)
			places[nr_places++] = place;
	}
	return nr_places;
}

int cgroup_members__find_parents(const struct cgroup_member *members, uint32_t nr, uint32_t *parent)
{
	struct place *listed = calloc((size_t)nr + 1, sizeof(*listed)),
		     *places = calloc((size_t)nr + 1, sizeof(*places));
	size_t nr_listed, nr_places;

	if (!listed || !places) {
		free(listed);
		free(places);
		return -ENOMEM;
	}
	nr_listed = list_places(members, nr, listed);
	memcpy(places, listed, nr_listed * sizeof(*places));
	qsort(places, nr_listed, sizeof(*places), compare);
	nr_places = drop_doubles(places, nr_listed);
	memset(parent, 0, sizeof(*parent) * nr);
	for (size_t i = 0; i < nr_listed; i++)
		parent[listed[i].slot] = find_nearest(&members[listed[i].slot], listed[i].nr_above,
						      places, nr_places);
	free(listed);
	free(places);
	return 0;
}

/* ---- ancestors ---- */

/* Returns the length of @path without its last component: 0 for "/a". */
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

	/* look up each cgroup from the parent of @path to the root */
	while (!err && len) {
		len = dir_len(name);
		name[len] = '\0';
		err = member->nr_above == CGROUP_MAX_ABOVE ? -E2BIG :
							     cgroup__find_id(mount, name, &id);
		if (!err)
			member->above[member->nr_above++] = id;
	}
	free(name);
	return err;
}

int cgroup_members__fill(const struct cgroup_mount *mount, const struct cgroup *cgroup,
			 struct cgroup_member *member, const struct cgroup *last_cgroup,
			 const struct cgroup_member *last)
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
