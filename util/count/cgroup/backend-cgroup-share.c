// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/backend-cgroup-share.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/cgroup/backend-cgroup-join.h"
#include "util/count/cgroup/backend-cgroup-load.h"
#include "util/count/cgroup/cgroup-members.h"
#include "util/count/cgroup/cgroup-slots.h"
#include "util/count/share/pinned-map.h"
#include "util/machine/cgroup/cgroup.h"

/* The maximum number of leaders (backend-cgroup-share.h) that can exist at the same time. */
#define ENTRIES 1024

/* ---- the pinned map ---- */

static uint32_t link_of(const void *key, const void *value)
{
	(void)value;
	return *(const uint32_t *)key;
}

static void report_unknown(uint32_t link_id, int err)
{
	pr_warn("--for-each-cgroup: cannot find out whether the leader of link %u still exists: "
		"%s\nif the leader no longer exists, the map of sessions remains until the next "
		"session ends",
		link_id, strerror(-err));
}

const struct pinned_map_kind cgroup_share_kind = {
	.name = "pstat_cgroups",
	.what = "map of leaders: remove it",
	.key_size = sizeof(uint32_t),
	.value_size = sizeof(uint32_t),
	.entries = ENTRIES,
	.key_min = sizeof(uint32_t),
	.key_max = sizeof(uint32_t),
	.link_of = link_of,
	.report_unknown = report_unknown,
};

int cgroup_share__begin(struct pinned_map *map, struct strbuf *why)
{
	int err;

	*map = PINNED_MAP_INIT(&cgroup_share_kind);
	/*
	 * take the lock first: otherwise, another session could remove the map after this session
	 * has opened it
	 */
	pinned_map__lock(map);
	err = pinned_map__open(map, CGROUP_SHARE_PATH, why);
	if (err)
		pinned_map__close(map);
	return err;
}

void cgroup_share__end(struct pinned_map *map)
{
	struct pinned_walk walk = { .nr = 0 };
	struct cgroup_links links;
	int err;

	err = cgroup_share__next(map, &walk, &links);
	if (err == -ENOENT)
		unlink(CGROUP_SHARE_PATH);
	else if (err)
		pr_warn("--for-each-cgroup: cannot read the map of sessions: %s\nif the map "
			"contains no session, it remains until the next session ends",
			strerror(-err));
	pinned_map__close(map);
}

int cgroup_share__next(const struct pinned_map *map, struct pinned_walk *walk,
		       struct cgroup_links *links)
{
	int err;

	do
		err = pinned_map__next(map, walk);
	while (!err && pinned_map__drop_dead(map, walk));
	if (err)
		return err;
	memcpy(&links->on_switch, walk->key, sizeof(links->on_switch));
	memcpy(&links->on_move, walk->value, sizeof(links->on_move));
	return 0;
}

int cgroup_share__publish(const struct pinned_map *map, const struct cgroup_links *links)
{
	if (!links->on_switch || !links->on_move)
		return -ENOENT;
	return pinned_map__publish(map, &links->on_switch, &links->on_move);
}

/* ---- cgroups ---- */

/*
 * Reserves a slot that has never been used. Stores the number of the slot in *@slot, and @member in
 * object->members[*@slot]. Returns 0, or -E2BIG if all slots are in use.
 */
static int take_slot(struct cgroup_object *object, const struct cgroup_member *member,
		     uint32_t *slot)
{
	uint32_t nr_slots = object->sizes.nr_slots;

	*slot = __atomic_fetch_add(&object->control->nr_used, 1, __ATOMIC_SEQ_CST);
	if (*slot >= nr_slots) {
		__atomic_fetch_sub(&object->control->nr_used, 1, __ATOMIC_SEQ_CST);
		return -E2BIG;
	}
	object->members[*slot] = *member;
	return 0;
}

/*
 * Assigns *@slot to the cgroup @id. If another session has already assigned a slot to this cgroup,
 * clears the id in object->members[*@slot], and sets *@slot to the slot that the cgroup has.
 * Returns 0 or -errno.
 */
static int use_slot(struct cgroup_object *object, uint64_t id, uint32_t *slot)
{
	int err;

	if (!bpf_map_update_elem(object->maps.slots, &id, slot, BPF_NOEXIST))
		return 0;
	err = -errno;
	if (err != -EEXIST)
		return err;
	object->members[*slot].id = 0;
	return bpf_map_lookup_elem(object->maps.slots, &id, slot) ? -errno : 0;
}

/*
 * Returns an array that contains, for each slot of @slots, the cgroup of the slot. Returns NULL if
 * there is not enough memory.
 */
static struct cgroup **by_slot(const struct cgroup_slots *slots, struct cgroup *const *listed)
{
	struct cgroup **groups = calloc(slots->nr, sizeof(*groups));

	for (int i = 0; groups && i < slots->nr_listed; i++)
		groups[slots->of[i]] = listed[i];
	return groups;
}

/*
 * Fills @members[slot] for each cgroup @groups[slot] that has no slot in the leader. In all other
 * elements of @members, `id` stays 0. Returns 0; -E2BIG if the leader has too few free slots, or if
 * a cgroup has more than CGROUP_MAX_ABOVE cgroups above it; or another -errno.
 */
static int find_members(const struct cgroup_object *object, const struct cgroup_mount *mount,
			struct cgroup *const *groups, uint32_t nr, struct cgroup_member *members)
{
	uint32_t last = 0, nr_new = 0, nr_used = object->control->nr_used;
	int err = 0;

	for (uint32_t slot = 1; !err && slot < nr; slot++) {
		uint32_t there;

		if (!bpf_map_lookup_elem(object->maps.slots, &groups[slot]->id, &there))
			continue;
		err = cgroup_members__fill(mount, groups[slot], &members[slot], groups[last],
					   last ? &members[last] : NULL);
		last = slot;
		nr_new++;
	}
	if (!err && (nr_used > object->sizes.nr_slots || nr_new > object->sizes.nr_slots - nr_used))
		err = -E2BIG;
	return err;
}

/*
 * Reserves a slot of the leader for each cgroup that has none, and stores the slot in @place.
 * Stores 0 for the other cgroups. If the leader has too few free slots, reserves none of them:
 * slots are never released, so the reserved slots would be wasted. Returns 0 or -errno.
 */
static int take_slots(struct cgroup_object *object, const struct cgroup_mount *mount,
		      struct cgroup *const *groups, uint32_t nr, uint32_t *place)
{
	struct cgroup_member *members = calloc(nr, sizeof(*members));
	int err = members ? find_members(object, mount, groups, nr, members) : -ENOMEM;

	memset(place, 0, sizeof(*place) * nr);
	for (uint32_t slot = 1; !err && slot < nr; slot++)
		if (members[slot].id)
			err = take_slot(object, &members[slot], &place[slot]);
	free(members);
	return err;
}

/*
 * Removes the cgroup @id from object->members[@slot] if the slot was reserved for the cgroup, but
 * not assigned to it in the map `slots`.
 */
static void drop_unused(struct cgroup_object *object, uint64_t id, uint32_t slot)
{
	uint32_t there;

	if (slot && slot < object->sizes.nr_slots && object->members[slot].id == id &&
	    bpf_map_lookup_elem(object->maps.slots, &id, &there))
		object->members[slot].id = 0;
}

int cgroup_share__add_groups(struct cgroup_object *object, const struct cgroup_mount *mount,
			     const struct cgroup_slots *slots, struct cgroup *const *listed,
			     uint32_t *place)
{
	struct cgroup **groups = by_slot(slots, listed);
	int err = groups ? take_slots(object, mount, groups, slots->nr, place) : -ENOMEM;

	/* make all sessions read the new members before CPUs use the new slots */
	cgroup_object__forget_slots(object);
	for (uint32_t slot = 1; !err && slot < slots->nr; slot++) {
		uint64_t id = groups[slot]->id;

		if (place[slot])
			err = use_slot(object, id, &place[slot]);
		else if (bpf_map_lookup_elem(object->maps.slots, &id, &place[slot]))
			err = -errno;
		if (!err && place[slot] >= object->sizes.nr_slots)
			err = -EINVAL;
	}
	for (uint32_t slot = 1; err && groups && slot < slots->nr; slot++)
		drop_unused(object, groups[slot]->id, place[slot]);
	cgroup_object__forget_slots(object);
	free(groups);
	return err;
}
