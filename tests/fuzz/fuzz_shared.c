// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as the values that another session writes into maps that sessions share. The first
 * byte selects the kind: a leader of cgroups and its events, the cgroups that it has, or a leader
 * of shared counters. Accepted values must be within the ranges that their readers expect.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_skel/bperf.h"
#include "bpf_skel/cgroup_counter.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/bperf/bperf-leader.h"
#include "util/count/cgroup/cgroup-members.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/count/cgroup/cgroup-slots.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NR_EVENTS 5

static struct evlist *evlist;

static void free_events(void)
{
	evlist__free(evlist);
}

/*
 * Makes events that are read with their times, events that are read without times, and events that
 * need no reading.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct sysroots roots = { "/nonexistent", "/nonexistent", "/nonexistent" };
	struct event_env env = { .roots = &roots };
	struct parse_error error = PARSE_ERROR_INIT;

	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	evlist = evlist__new();
	if (!evlist ||
	    parse_events(evlist, "cycles,faults,cs,instructions,task-clock", &env, &error) ||
	    evlist->nr != NR_EVENTS)
		abort();
	parse_error__free(&error);
	atexit(free_events);
	return 0;
}

static void copy(void *to, size_t room, const uint8_t *data, size_t size)
{
	memset(to, 0, room);
	memcpy(to, data, size < room ? size : room);
}

/* ---- a leader of cgroups ---- */

/*
 * After the numbers, one byte for each event determines how the event is read. The session's events
 * are some of these events.
 */
static void try_info(const uint8_t *data, size_t size)
{
	const size_t head = offsetof(struct cgroup_info, events);
	bool is_open[NR_EVENTS] = { true, true, true, true, true };
	struct cgroup_plan *plan =
		cgroup_plan__new((const struct evsel *const *)evlist->entries, is_open, NR_EVENTS);
	int reads[NR_EVENTS];
	struct cgroup_info info;

	if (!plan)
		abort();
	copy(&info, head, data, size);
	memset(info.events, 0, sizeof(info.events));
	for (size_t i = 0; i < CGROUP_INFO_MAX_EVENTS && head + i < size; i++) {
		info.events[i].timed = data[head + i] & 1;
		info.events[i].read = data[head + i] >> 1 == 127 ? UINT32_MAX : data[head + i] >> 1;
	}
	for (int i = 0; i < NR_EVENTS; i++)
		reads[i] = (uint32_t)i < info.nr_events ? (int)info.events[i].read : -1;
	if (cgroup_plan__is_sound(&info) && !cgroup_plan__adopt(plan, reads, &info)) {
		if (plan->nr_cells != info.nr_cells)
			abort();
		for (int i = 0; i < NR_EVENTS; i++)
			if (plan->counters[i].cell >= info.nr_cells ||
			    plan->counters[i].enabled >= info.nr_cells ||
			    plan->counters[i].running >= info.nr_cells)
				abort();
	}
	cgroup_plan__free(plan);
}

/* ---- its cgroups ---- */

#define SLOTS_MAX 64

/*
 * Each cgroup has 4 bytes: its ID, the number of its ancestors, and the IDs of the ancestors in
 * order.
 */
static uint32_t read_members(const uint8_t *data, size_t size, struct cgroup_member *members)
{
	uint32_t nr = size / 4 < SLOTS_MAX - 1 ? (uint32_t)size / 4 + 1 : SLOTS_MAX;

	memset(members, 0, sizeof(*members) * SLOTS_MAX);
	for (uint32_t slot = 1; slot < nr; slot++, data += 4) {
		members[slot].id = data[0] & 31;
		members[slot].nr_above = data[1] == 255 ? UINT32_MAX : data[1] & 31;
		for (int i = 0; i < CGROUP_MAX_ABOVE; i++)
			members[slot].above[i] = (data[2 + i % 2] + (uint32_t)i / 2) & 31;
	}
	return nr;
}

/*
 * The count of each slot is added to the slot and all its ancestors, so the slots without a parent
 * together have the sum of all counts.
 */
static void add_up(const struct cgroup_slots *tree)
{
	uint64_t own[SLOTS_MAX], sums[SLOTS_MAX], all = 0;

	for (uint32_t slot = 0; slot < tree->nr; slot++)
		own[slot] = 1;
	cgroup_slots__add_up(tree, own, sums, 1);
	for (uint32_t slot = 0; slot < tree->nr; slot++) {
		if (tree->parent[slot] >= tree->nr || (!slot && tree->parent[slot]))
			abort();
		all += tree->parent[slot] ? 0 : sums[slot];
	}
	if (all != tree->nr)
		abort();
}

static void try_members(const uint8_t *data, size_t size)
{
	struct cgroup_member members[SLOTS_MAX];
	uint32_t parent[SLOTS_MAX];
	struct cgroup_slots tree = { .nr = read_members(data, size, members), .parent = parent };

	if (cgroup_members__find_parents(members, tree.nr, parent))
		abort();
	for (uint32_t slot = 1; slot < tree.nr; slot++) {
		uint32_t above = 0;

		for (; parent[slot] && above < CGROUP_MAX_ABOVE; above++)
			if (members[slot].above[above] == members[parent[slot]].id)
				break;
		if (parent[slot] && (above >= members[slot].nr_above || above == CGROUP_MAX_ABOVE))
			abort();
	}
	add_up(&tree);
}

/* ---- a leader of shared counters ---- */

static void try_leader(const uint8_t *data, size_t size)
{
	struct bperf_info info;

	copy(&info, sizeof(info), data, size);
	if (!bperf_leader__is_sound(&info))
		return;
	for (uint32_t row = 0; row < info.nr_shared; row++)
		if (sizeof(struct bperf_state) + (row + 1) * sizeof(struct bpf_perf_event_value) >
		    BPERF_STATE_SIZE(info.nr_events))
			abort();
	for (uint32_t row = 0; row < info.nr_events; row++)
		if (info.plan[row].how > BPERF_TIMES)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const uint8_t *data, size_t size) = { try_info, try_members,
									   try_leader };

	if (size)
		tries[data[0] % 3](data + 1, size - 1);
	return 0;
}
