// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/cgroup-slots.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/cgroup/cgroup.h"

struct entry {
	const struct cgroup *cgroup;
	int place; /* index in the user's list */
};

/*
 * Compares paths for sorting. Treats '/' as less than all other bytes, so that the cgroups below a
 * cgroup come directly after this cgroup.
 */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (*a == '/' ? 1 : (unsigned char)*a + 1) * !!*a -
	       (*b == '/' ? 1 : (unsigned char)*b + 1) * !!*b;
}

static int compare(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return compare_paths(a->cgroup->path, b->cgroup->path) ?: a->place - b->place;
}

static bool is_above(const char *above, const char *below)
{
	size_t len = strlen(above);

	return !strncmp(above, below, len) && below[len] == '/';
}

/*
 * Assigns slots and parents. @entries must be sorted with compare(). If there is not enough memory,
 * sets slots->nr to 0.
 */
static void number(struct cgroup_slots *slots, const struct entry *entries)
{
	const struct cgroup **cgroups =
		calloc((size_t)slots->nr_listed + 1, sizeof(*cgroups)); /* indexed by slot */

	slots->nr = cgroups ? 1 : 0;
	for (int i = 0; cgroups && i < slots->nr_listed; i++) {
		const struct cgroup *cgroup = entries[i].cgroup;
		uint32_t above = slots->nr - 1;

		if (above && !strcmp(cgroups[above]->path, cgroup->path)) {
			slots->of[entries[i].place] = above;
			continue;
		}
		while (above && !is_above(cgroups[above]->path, cgroup->path))
			above = slots->parent[above];
		cgroups[slots->nr] = cgroup;
		slots->ids[slots->nr] = cgroup->id;
		slots->parent[slots->nr] = above;
		slots->of[entries[i].place] = slots->nr++;
	}
	free(cgroups);
}

static struct cgroup_slots *alloc_slots(int nr)
{
	struct cgroup_slots *slots = calloc(1, sizeof(*slots));
	size_t room = (size_t)nr + 1;

	if (!slots)
		return NULL;
	slots->nr_listed = nr;
	slots->parent = calloc(room, sizeof(*slots->parent));
	slots->ids = calloc(room, sizeof(*slots->ids));
	slots->of = calloc(room, sizeof(*slots->of));
	if (slots->parent && slots->ids && slots->of)
		return slots;
	cgroup_slots__free(slots);
	return NULL;
}

struct cgroup_slots *cgroup_slots__new(struct cgroup *const *listed, int nr)
{
	struct cgroup_slots *slots = alloc_slots(nr);
	struct entry *entries = calloc((size_t)nr + 1, sizeof(*entries));

	if (slots && entries) {
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
	for (int slot = 1; slots->paths && slot <= slots->nr_listed; slot++)
		free(slots->paths[slot]);
	free(slots->paths);
	free(slots);
}

struct cgroup_slots *cgroup_slots__new_places(int nr)
{
	struct cgroup_slots *slots = alloc_slots(nr);

	if (!slots)
		return NULL;
	slots->nr = 1;
	slots->paths = calloc((size_t)nr + 1, sizeof(*slots->paths));
	if (!slots->paths) {
		cgroup_slots__free(slots);
		return NULL;
	}
	for (int place = 0; place < nr; place++)
		slots->of[place] = (uint32_t)place + 1;
	return slots;
}

void cgroup_slots__use(struct cgroup_slots *slots, int place)
{
	if (slots->nr < (uint32_t)place + 2)
		slots->nr = (uint32_t)place + 2;
}

int cgroup_slots__place(struct cgroup_slots *slots, int place, const char *name, uint64_t id)
{
	uint32_t own = (uint32_t)place + 1, parent = 0;
	char *path = cgroup__path(name);
	size_t longest = 0;

	if (!path)
		return -ENOMEM;
	for (uint32_t slot = 1; slot < slots->nr; slot++) {
		const char *other = slots->paths[slot];

		if (slot == own || !other || !is_above(other, path) ||
		    (parent && strlen(other) < longest))
			continue;
		longest = strlen(other);
		parent = slot;
	}
	free(slots->paths[own]);
	slots->paths[own] = path;
	slots->ids[own] = id;
	slots->parent[own] = parent;
	return 0;
}

void cgroup_slots__leave(struct cgroup_slots *slots, int place)
{
	free(slots->paths[place + 1]);
	slots->paths[place + 1] = NULL;
}

void cgroup_slots__add_up(const struct cgroup_slots *slots, const uint64_t *own, uint64_t *sums,
			  uint32_t nr_cells)
{
	memcpy(sums, own, sizeof(*own) * slots->nr * nr_cells);
	for (uint32_t slot = 1; slot < slots->nr; slot++) {
		const uint64_t *from = own + (size_t)slot * nr_cells;

		for (uint32_t above = slots->parent[slot]; above; above = slots->parent[above])
			for (uint32_t cell = 0; cell < nr_cells; cell++)
				sums[(size_t)above * nr_cells + cell] += from[cell];
	}
}
