// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/cgroup-slots.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/cgroup.h"

struct entry {
	const struct cgroup *cgroup;
	int place; /* in the list */
};

/* By path, a group before all that is in it: '/' comes before every other byte. */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (*a == '/' ? 1 : (unsigned char)*a + 1) * !!*a - (*b == '/' ? 1 : (unsigned char)*b + 1) * !!*b;
}

static int compare(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return compare_paths(a->cgroup->path, b->cgroup->path) ?: a->place - b->place;
}

static bool is_above(const struct cgroup *above, const struct cgroup *below)
{
	size_t len = strlen(above->path);

	return !strncmp(above->path, below->path, len) && below->path[len] == '/';
}

/* @entries are sorted: the groups above one stand before it, and what stands between them and it is theirs. */
static void number(struct cgroup_slots *slots, const struct entry *entries)
{
	const struct cgroup **cgroups = calloc((size_t)slots->nr_listed + 1, sizeof(*cgroups)); /* by slot */

	slots->nr = cgroups ? 1 : 0;
	for (int i = 0; cgroups && i < slots->nr_listed; i++) {
		const struct cgroup *cgroup = entries[i].cgroup;
		uint32_t above = slots->nr - 1;

		if (above && !strcmp(cgroups[above]->path, cgroup->path)) {
			slots->of[entries[i].place] = above;
			continue;
		}
		while (above && !is_above(cgroups[above], cgroup))
			above = slots->parent[above];
		cgroups[slots->nr] = cgroup;
		slots->ids[slots->nr] = cgroup->id;
		slots->parent[slots->nr] = above;
		slots->of[entries[i].place] = slots->nr++;
	}
	free(cgroups);
}

struct cgroup_slots *cgroup_slots__new(struct cgroup *const *listed, int nr)
{
	struct cgroup_slots *slots = calloc(1, sizeof(*slots));
	size_t room = (size_t)nr + 1;
	struct entry *entries = calloc(room, sizeof(*entries));

	if (slots) {
		slots->nr_listed = nr;
		slots->parent = calloc(room, sizeof(*slots->parent));
		slots->ids = calloc(room, sizeof(*slots->ids));
		slots->of = calloc(room, sizeof(*slots->of));
	}
	if (slots && entries && slots->parent && slots->ids && slots->of) {
		for (int i = 0; i < nr; i++)
			entries[i] = (struct entry){ .cgroup = listed[i], .place = i };
		qsort(entries, (size_t)nr, sizeof(*entries), compare);
		number(slots, entries);
	}
	free(entries);
	if (slots && slots->nr)
		return slots;
	cgroup_slots__free(slots);
	return NULL;
}

void cgroup_slots__free(struct cgroup_slots *slots)
{
	if (!slots)
		return;
	free(slots->parent);
	free(slots->ids);
	free(slots->of);
	free(slots);
}

struct cgroup_slots *cgroup_slots__new_places(int nr)
{
	struct cgroup_slots *slots = cgroup_slots__new(NULL, 0);
	uint32_t room = (uint32_t)nr + 1;

	if (!slots)
		return NULL;
	free(slots->parent);
	free(slots->ids);
	free(slots->of);
	slots->parent = calloc(room, sizeof(*slots->parent));
	slots->ids = calloc(room, sizeof(*slots->ids));
	slots->of = calloc(room, sizeof(*slots->of));
	if (!slots->parent || !slots->ids || !slots->of) {
		cgroup_slots__free(slots);
		return NULL;
	}
	slots->nr = room;
	slots->nr_listed = nr;
	for (uint32_t place = 0; place + 1 < room; place++)
		slots->of[place] = place + 1;
	return slots;
}

void cgroup_slots__place(struct cgroup_slots *slots, struct cgroup *const *places, int place)
{
	const struct cgroup *cgroup = places[place];
	size_t longest = 0;

	slots->ids[place + 1] = cgroup->id;
	slots->parent[place + 1] = 0;
	for (int i = 0; i < slots->nr_listed; i++) {
		const struct cgroup *other = places[i];

		if (i == place || other->state != CGROUP_LIVE || !is_above(other, cgroup))
			continue;
		if (slots->parent[place + 1] && strlen(other->path) < longest)
			continue;
		longest = strlen(other->path);
		slots->parent[place + 1] = (uint32_t)i + 1;
	}
}

void cgroup_slots__add_up(const struct cgroup_slots *slots, const uint64_t *own, uint64_t *sums, uint32_t nr_cells)
{
	memcpy(sums, own, sizeof(*own) * slots->nr * nr_cells);
	for (uint32_t slot = 1; slot < slots->nr; slot++) {
		const uint64_t *from = own + (size_t)slot * nr_cells;

		for (uint32_t above = slots->parent[slot]; above; above = slots->parent[above])
			for (uint32_t cell = 0; cell < nr_cells; cell++)
				sums[(size_t)above * nr_cells + cell] += from[cell];
	}
}
