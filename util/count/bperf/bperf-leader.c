// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-leader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_skel/bperf_leader.skel.h"
#include "util/base/reason.h"
#include "util/base/trusted-path.h"
#include "util/count/backend.h"
#include "util/count/bperf/attr-map.h"
#include "util/count/bperf/bperf-events.h"
#include "util/count/share/shared-link.h"

#define LEADER_NAME "on_switch"
#define LEADER_TRACEPOINT "sched_switch"
_Static_assert(BPERF_MAX_SHARED + 8 <= SHARED_LINK_MAPS, "all maps of a leader are looked at");

struct attr_map_entry bperf_leader__entry(const struct bperf_leader *leader, int row)
{
	return (struct attr_map_entry){ .link_id = leader->link_id,
					.diff_map_id = leader->info.diff_map_ids[row] };
}

/* ---- closing a leader ---- */

/*
 * If no session uses the leader any more, makes the leader's events release their hardware
 * counters.
 */
static void give_counters_back(const struct bperf_leader *leader)
{
	const struct bperf_info *info = &leader->info;
	uint64_t rows = 0;

	if (!leader->link_id || leader->events_fd < 0 || !shared_link__is_gone(leader->link_id))
		return;
	for (uint32_t row = 0; leader->of_pstat && row < info->nr_events; row++)
		if (info->plan[row].how >= BPERF_SIBLING)
			rows |= 1ULL << row;
	held_events__release(&leader->held, leader->events_fd, rows, info->nr_cpus);
}

void bperf_leader__close(struct bperf_leader *leader)
{
	int *fds[] = { &leader->prog_fd, &leader->source_fd, &leader->before_fd,
		       &leader->events_fd };
	bool had_link = leader->link_fd >= 0;

	if (had_link)
		close(leader->link_fd);
	leader->link_fd = -1;
	if (had_link)
		give_counters_back(leader);
	held_events__close(&leader->held);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	bperf_leader_bpf__destroy(leader->skel);
	leader->skel = NULL;
}

/* ---- an existing leader ---- */

static const struct shared_link_kind kind = {
	.what = "leader of shared counters",
	.tracepoint = LEADER_TRACEPOINT,
	.prog = LEADER_NAME,
	.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
};

bool bperf_leader__is_sound(const struct bperf_info *info)
{
	if (info->version != BPERF_INFO_VERSION || info->nr_events > BPERF_MAX_EVENTS ||
	    info->nr_shared > BPERF_MAX_SHARED || info->nr_shared > info->nr_events)
		return false;
	for (__u32 row = 0; row < info->nr_events; row++)
		if (info->plan[row].how > BPERF_TIMES ||
		    info->plan[row].times_of >= info->nr_events)
			return false;
	return true;
}

/*
 * Reads leader->info from the map @info_fd of a leader that pstat made. Sets *@row to the index of
 * the event that has the diff map of @entry and the key @key. Returns 0, or an error of
 * bperf_leader__join() with the reason in @why.
 */
static int join_pstat(const struct attr_map_entry *entry, const struct attr_key *key,
		      struct bperf_leader *leader, int info_fd, int *row, struct strbuf *why)
{
	static const char other[] = "its own list of events does not contain the map's entry";
	struct bperf_info *info = &leader->info;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(info_fd, &zero, info) || !bperf_leader__is_sound(info) ||
	    leader->events_fd < 0 ||
	    !shared_map__has_values(leader->source_fd, BPERF_STATE_SIZE(info->nr_events), 1))
		return shared_link__refuse(entry->link_id, &kind, other, why);
	for (*row = 0; *row < (int)info->nr_shared; ++*row) {
		if (info->diff_map_ids[*row] != entry->diff_map_id || !entry->diff_map_id)
			continue;
		if (!memcmp(info->attrs[*row], key->bytes, sizeof(key->bytes)))
			return 0;
		return reason__set(why, TRUSTED_PATH_REFUSED,
				   "link %u is not trusted: it counts another event than its entry "
				   "in the map says",
				   entry->link_id);
	}
	return shared_link__refuse(entry->link_id, &kind, other, why);
}

/*
 * Closes events_fd (the perf events) if before_fd (their values at the latest reading) is not open.
 * Without these values, pstat cannot compute the counts since that reading.
 */
static void drop_halves(struct bperf_leader *leader)
{
	if (leader->before_fd >= 0 || leader->events_fd < 0)
		return;
	close(leader->events_fd);
	leader->events_fd = -1;
}

/*
 * Does the work of bperf_leader__join(). If this function fails, the caller has to close @leader.
 */
static int join(const struct attr_map_entry *entry, const struct attr_key *key,
		struct bperf_leader *leader, int *row, struct strbuf *why)
{
	const size_t reading = sizeof(struct bpf_perf_event_value);
	int info_fd = -1, state_fd = -1, diff_fd = -1, err;
	const struct shared_map maps[] = {
		{ BPERF_INFO_MAP, 0, BPF_MAP_TYPE_ARRAY, sizeof(struct bperf_info), &info_fd },
		{ BPERF_STATE_MAP, 0, BPF_MAP_TYPE_PERCPU_ARRAY, 0, &state_fd },
		{ BPERF_EVENTS_MAP, 0, BPF_MAP_TYPE_PERF_EVENT_ARRAY, 0, &leader->events_fd },
		{ NULL, entry->diff_map_id, BPF_MAP_TYPE_PERCPU_ARRAY, reading, &diff_fd },
		{ "prev_readings", 0, BPF_MAP_TYPE_PERCPU_ARRAY, reading, &leader->before_fd },
	};
	struct shared_link link;
	int *unused;

	err = shared_link__open_leader(&entry->link_id, &kind, 1, &link, maps,
				       sizeof(maps) / sizeof(maps[0]), why);
	if (err)
		return err;
	leader->link_id = entry->link_id;
	leader->link_fd = link.fd;
	leader->prog_fd = link.prog_fd;
	leader->of_pstat = info_fd >= 0 && state_fd >= 0;
	/*
	 * if pstat made the leader, the leader's state contains, for each event, the difference
	 * between the last two readings, so no diff map is needed
	 */
	leader->source_fd = leader->of_pstat ? state_fd : diff_fd;
	unused = leader->of_pstat ? &diff_fd : &state_fd;
	*row = 0;
	if (leader->of_pstat) {
		err = join_pstat(entry, key, leader, info_fd, row, why);
	} else if (diff_fd < 0) {
		err = shared_link__refuse(entry->link_id, &kind,
					  "the diff map in the entry is not one of its maps", why);
	} else {
		leader->info.nr_events = 1;
		drop_halves(leader);
	}
	if (info_fd >= 0)
		close(info_fd);
	if (*unused >= 0)
		close(*unused);
	return err;
}

int bperf_leader__join(const struct attr_map_entry *entry, const struct attr_key *key,
		       struct bperf_leader *leader, int *row, struct strbuf *why)
{
	int err;

	*leader = BPERF_LEADER_NONE;
	err = join(entry, key, leader, row, why);
	if (err)
		bperf_leader__close(leader);
	return err;
}

/* ---- making a leader ---- */

#define DIFF_MAP "diff_"

/*
 * Returns the index (row) of the event whose diff map (attr-map.h) is @map. Returns -1 if @map is
 * not a diff map.
 */
static int row_of(const struct bpf_map *map)
{
	const char *name = bpf_map__name(map);

	return strncmp(name, DIFF_MAP, strlen(DIFF_MAP)) ?
		       -1 :
		       (int)strtol(name + strlen(DIFF_MAP), NULL, 16);
}

/* Prevents libbpf from creating diff maps that no shared event uses. */
static int choose_diff_maps(const struct bperf_leader *leader)
{
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, leader->skel->obj)
	{
		int row = row_of(map);

		if (!err && row >= 0 && row >= (int)leader->info.nr_shared)
			err = bpf_map__set_autocreate(map, false);
	}
	return err;
}

static int note_diff_maps(struct bperf_leader *leader)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, leader->skel->obj)
	{
		int row = row_of(map);

		if (err || row < 0 || row >= (int)leader->info.nr_shared)
			continue;
		err = bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &len) ? -errno : 0;
		leader->info.diff_map_ids[row] = info.id;
	}
	return err;
}

static void note_keys(const struct bperf_events *events, struct bperf_info *info)
{
	_Static_assert(sizeof(struct attr_key) == BPERF_ATTR_SIZE,
		       "a leader has room for each key");

	for (int row = 0; row < events->nr_shared; row++) {
		const struct attr_key key =
			attr_map__key_of(events->group->evsels[events->events[row]]);

		memcpy(info->attrs[row], key.bytes, sizeof(key.bytes));
	}
}

static int prepare(const struct bperf_events *events, int nr_cpus, struct bperf_leader *leader)
{
	struct bperf_leader_bpf *skel = leader->skel;
	int err;

	leader->info.version = BPERF_INFO_VERSION;
	leader->info.nr_events = (__u32)events->nr;
	leader->info.nr_cpus = (__u32)nr_cpus;
	memcpy(leader->info.plan, events->plan, sizeof(events->plan));
	leader->info.nr_shared = (__u32)events->nr_shared;
	note_keys(events, &leader->info);
	skel->rodata->nr_events = leader->info.nr_events;
	skel->rodata->nr_shared = leader->info.nr_shared;
	skel->rodata->nr_cpus = leader->info.nr_cpus;
	memcpy((void *)skel->rodata->plan, leader->info.plan, sizeof(leader->info.plan));
	err = bpf_map__set_max_entries(skel->maps.events, (__u32)(events->nr * nr_cpus));
	err = err ?: choose_diff_maps(leader);
	return err   ?:
		       bpf_map__set_value_size(skel->maps.pstat_state,
					       (__u32)BPERF_STATE_SIZE(leader->info.nr_events));
}

/*
 * Binds the map pstat_leader to the program, so that the kernel keeps the map as long as the
 * program. The kernel would not do this by itself, because the program's code does not use the map.
 */
static int bind_info(const struct bperf_leader_bpf *skel)
{
	int err = bpf_prog_bind_map(bpf_program__fd(skel->progs.on_switch),
				    bpf_map__fd(skel->maps.pstat_leader), NULL);

	return err ? -errno : 0;
}

/*
 * Duplicates the skeleton's fds into @leader, so that the skeleton can be destroyed. @leader can
 * then be used like a leader that another session made. Returns 0 or -errno.
 */
static int keep_fds(struct bperf_leader *leader)
{
	const struct bperf_leader_bpf *skel = leader->skel;

	leader->of_pstat = true;
	leader->prog_fd = fcntl(bpf_program__fd(skel->progs.on_switch), F_DUPFD_CLOEXEC, 0);
	leader->source_fd = fcntl(bpf_map__fd(skel->maps.pstat_state), F_DUPFD_CLOEXEC, 0);
	leader->events_fd = fcntl(bpf_map__fd(skel->maps.events), F_DUPFD_CLOEXEC, 0);
	return leader->prog_fd < 0 || leader->source_fd < 0 || leader->events_fd < 0 ? -errno : 0;
}

/* Stores leader->info in the map pstat_leader, where other sessions read it. */
static int fill_info(struct bperf_leader *leader)
{
	int err = note_diff_maps(leader);
	__u32 zero = 0;

	if (!err && bpf_map_update_elem(bpf_map__fd(leader->skel->maps.pstat_leader), &zero,
					&leader->info, BPF_ANY))
		err = -errno;
	return err ?: bind_info(leader->skel);
}

/*
 * Performs the steps of bperf_leader__make() that involve the skeleton. Returns 0, or -errno with
 * the failed step in *@step.
 */
static int make(const struct bperf_events *events, int nr_cpus, struct bperf_leader *leader,
		const char **step)
{
	int err;

	*step = "load the program that reads the counters";
	leader->skel = bperf_leader_bpf__open();
	err = leader->skel ? prepare(events, nr_cpus, leader) : -errno;
	err = err ?: bperf_leader_bpf__load(leader->skel);
	if (err)
		return err;
	*step = "describe the program that reads the counters to other sessions";
	err = fill_info(leader);
	if (err)
		return err;
	*step = "keep the files open that the program that reads the counters needs";
	return keep_fds(leader);
}

int bperf_leader__make(struct bperf_events *events, int nr_cpus, struct bperf_leader *leader)
{
	const char *step;
	int err;

	*leader = BPERF_LEADER_NONE;
	err = make(events, nr_cpus, leader, &step);
	reason__set(events->group->why, err, "cannot %s: %s\n-v shows libbpf's messages", step,
		    strerror(-err));
	err = err ?: bperf_events__hand_over(events, leader->events_fd, nr_cpus);
	if (!err)
		bperf_events__hold(events, &leader->held);
	return err;
}

int bperf_leader__attach(struct bperf_leader *leader, struct strbuf *why)
{
	leader->link_fd = bpf_raw_tracepoint_open(LEADER_TRACEPOINT, leader->prog_fd);
	leader->link_id = shared_link__id(leader->link_fd);
	if (!leader->link_id) {
		int err = -errno;

		return reason__set(
			why, err, "cannot attach to the context switch (" LEADER_TRACEPOINT "): %s",
			strerror(-err));
	}
	/* @leader has its own duplicates of the skeleton's fds */
	bperf_leader_bpf__destroy(leader->skel);
	leader->skel = NULL;
	return 0;
}
