// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-leader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf_skel/bperf_leader.skel.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/trusted-path.h"
#include "util/count/backend.h"
#include "util/count/bperf/attr-map.h"
#include "util/count/bperf/bperf-events.h"
#include "util/count/bpf-util.h"

#define LEADER_NAME "on_switch"
#define LEADER_TRACEPOINT "sched_switch"
/* that a leader may have */
#define MAPS_MAX (BPERF_MAX_SHARED + 8)

struct attr_map_entry bperf_leader__entry(const struct bperf_leader *leader, int row)
{
	return (struct attr_map_entry){ .link_id = leader->link_id, .diff_map_id = leader->info.diff_map_ids[row] };
}

/* ---- the end of one ---- */

/* Takes those events out of the map that keep a counter from others. Returns how many there were. */
static int take_out_events(const struct bperf_leader *leader)
{
	const struct bperf_info *info = &leader->info;
	int found = 0;

	for (__u32 row = 0; leader->of_pstat && row < info->nr_events; row++) {
		for (__u32 cpu = 0; info->plan[row].how >= BPERF_SIBLING && cpu < info->nr_cpus; cpu++) {
			__u32 key = row * info->nr_cpus + cpu;

			found += !bpf_map_delete_elem(leader->events_fd, &key);
		}
	}
	return found;
}

/*
 * The kernel drops the events that were taken out of a map after a grace period, in a work item that it starts a tick later. Nothing tells when
 * that was done; a tick is 10 ms at most.
 */
static void wait_for_kernel(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(30000);
	usleep(20000);
}

/* Nobody uses the leader any more, and what is counted next finds the counters free. */
static void give_counters_back(const struct bperf_leader *leader)
{
	if (!leader->link_id || leader->events_fd < 0 || !bpf_util__link_is_gone(leader->link_id))
		return;
	held_events__disable(&leader->held);
	/* some of them may have been opened by another session */
	if (take_out_events(leader) > leader->held.nr)
		wait_for_kernel();
}

void bperf_leader__close(struct bperf_leader *leader)
{
	int *fds[] = { &leader->prog_fd, &leader->source_fd, &leader->before_fd, &leader->events_fd };
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

/* ---- one that is there ---- */

static int refuse(struct strbuf *why, const struct attr_map_entry *entry, const char *what)
{
	strbuf__addf(why, "link %u in the map is no leader: %s", entry->link_id, what);
	return -EINVAL;
}

/* @what: how another user could have a hand in the counts. */
static int distrust(struct strbuf *why, const struct attr_map_entry *entry, const char *what)
{
	strbuf__addf(why, "link %u in the map is not trusted: %s", entry->link_id, what);
	return TRUSTED_PATH_REFUSED;
}

/* The program of the link, if the link is what a leader's is. */
static int open_prog(const struct attr_map_entry *entry, struct bperf_leader *leader, struct strbuf *why)
{
	char tracepoint[64] = "";
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	leader->link_id = entry->link_id;
	leader->link_fd = bpf_link_get_fd_by_id(entry->link_id);
	if (leader->link_fd < 0)
		return -errno;
	info.raw_tracepoint.tp_name = (__u64)(unsigned long)tracepoint;
	info.raw_tracepoint.tp_name_len = sizeof(tracepoint);
	if (bpf_obj_get_info_by_fd(leader->link_fd, &info, &len))
		return refuse(why, entry, strerror(errno));
	if (info.type != BPF_LINK_TYPE_RAW_TRACEPOINT || strcmp(tracepoint, LEADER_TRACEPOINT) != 0)
		return refuse(why, entry, "it is not attached to " LEADER_TRACEPOINT);
	leader->prog_fd = bpf_prog_get_fd_by_id(info.prog_id);
	return leader->prog_fd < 0 ? refuse(why, entry, strerror(errno)) : 0;
}

static bool has_shape(const struct bpf_map_info *info, __u32 type, size_t value_size)
{
	return info->type == type && info->key_size == sizeof(__u32) && info->value_size == value_size &&
	       info->max_entries == 1;
}

static bool is_named(const struct bpf_map_info *info, const char *name)
{
	return !strncmp(info->name, name, sizeof(info->name));
}

static int read_map_info(int fd, struct bpf_map_info *info)
{
	__u32 len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(fd, info, &len) ? -errno : 0;
}

/* Keeps the fd of a map of the leader if it is of use. True when it is the entry's diff map. */
static bool sort_map(struct bperf_leader *leader, int fd, const struct attr_map_entry *entry, int *info_fd,
		     int *state_fd)
{
	const size_t reading = sizeof(struct bpf_perf_event_value);
	struct bpf_map_info info;
	int *place = NULL;

	if (!read_map_info(fd, &info)) {
		if (is_named(&info, BPERF_INFO_MAP) && has_shape(&info, BPF_MAP_TYPE_ARRAY, sizeof(struct bperf_info)))
			place = info_fd;
		else if (is_named(&info, BPERF_STATE_MAP) && info.type == BPF_MAP_TYPE_PERCPU_ARRAY)
			place = state_fd;
		else if (is_named(&info, BPERF_EVENTS_MAP) && info.type == BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			place = &leader->events_fd;
		else if (info.id == entry->diff_map_id && has_shape(&info, BPF_MAP_TYPE_PERCPU_ARRAY, reading))
			place = &leader->source_fd;
		else if (is_named(&info, "prev_readings") && has_shape(&info, BPF_MAP_TYPE_PERCPU_ARRAY, reading))
			place = &leader->before_fd;
	}
	if (!place || *place >= 0)
		close(fd);
	else
		*place = fd;
	return place == &leader->source_fd;
}

bool bperf_leader__is_sound(const struct bperf_info *info)
{
	if (info->version != BPERF_INFO_VERSION || info->nr_events > BPERF_MAX_EVENTS ||
	    info->nr_shared > BPERF_MAX_SHARED || info->nr_shared > info->nr_events)
		return false;
	for (__u32 row = 0; row < info->nr_events; row++)
		if (info->plan[row].how > BPERF_TIMES || info->plan[row].times_of >= info->nr_events)
			return false;
	return true;
}

/* A leader of pstat knows itself which event has which diff map, and under which key each is found. */
static int join_pstat(const struct attr_map_entry *entry, const struct attr_key *key, struct bperf_leader *leader,
		      int info_fd, int state_fd, int *row, struct strbuf *why)
{
	static const char other[] = "its own list of events does not contain the map's entry";

	struct bpf_map_info state;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(info_fd, &zero, &leader->info) || !bperf_leader__is_sound(&leader->info) ||
	    leader->events_fd < 0 || read_map_info(state_fd, &state) ||
	    !has_shape(&state, BPF_MAP_TYPE_PERCPU_ARRAY, BPERF_STATE_SIZE(leader->info.nr_events)))
		return refuse(why, entry, other);
	for (*row = 0; *row < (int)leader->info.nr_shared; ++*row) {
		if (leader->info.diff_map_ids[*row] != entry->diff_map_id || !entry->diff_map_id)
			continue;
		if (!memcmp(leader->info.attrs[*row], key->bytes, sizeof(key->bytes)))
			return 0;
		return distrust(why, entry, "it counts another event than the map says");
	}
	return refuse(why, entry, other);
}

/* The events without the last reading of them would tell what was counted since they were opened, not since then. */
static void drop_halves(struct bperf_leader *leader)
{
	if (leader->before_fd >= 0 || leader->events_fd < 0)
		return;
	close(leader->events_fd);
	leader->events_fd = -1;
}

/* The program's maps, by what they are. */
static int open_maps(const struct attr_map_entry *entry, const struct attr_key *key, struct bperf_leader *leader,
		     const __u32 *ids, __u32 nr, int *row, struct strbuf *why)
{
	int info_fd = -1, state_fd = -1, err = 0;
	bool has_diff = false;

	for (__u32 i = 0; i < nr; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		if (fd >= 0)
			has_diff |= sort_map(leader, fd, entry, &info_fd, &state_fd);
	}
	leader->of_pstat = info_fd >= 0 && state_fd >= 0;
	*row = 0;
	if (leader->of_pstat) {
		/* the diff map says no more than the state does */
		if (leader->source_fd >= 0)
			close(leader->source_fd);
		leader->source_fd = state_fd;
		state_fd = -1;
		err = join_pstat(entry, key, leader, info_fd, leader->source_fd, row, why);
	} else if (!has_diff) {
		err = refuse(why, entry, "the diff map in the entry is not one of its maps");
	} else {
		leader->info.nr_events = 1;
		drop_halves(leader);
	}
	if (info_fd >= 0)
		close(info_fd);
	if (state_fd >= 0)
		close(state_fd);
	return err;
}

static int check_prog(const struct attr_map_entry *entry, const struct attr_key *key, struct bperf_leader *leader,
		      int *row, struct strbuf *why)
{
	__u32 map_ids[MAPS_MAX] = {};
	struct bpf_prog_info info = { .nr_map_ids = MAPS_MAX, .map_ids = (__u64)(unsigned long)map_ids };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(leader->prog_fd, &info, &len))
		return refuse(why, entry, strerror(errno));
	if (info.type != BPF_PROG_TYPE_RAW_TRACEPOINT || strcmp(info.name, LEADER_NAME) != 0)
		return refuse(why, entry, "its program is not called " LEADER_NAME);
	if (!info.btf_id)
		return refuse(why, entry, "its program has no BTF, and cannot be followed");
	if (info.created_by_uid && info.created_by_uid != geteuid())
		return distrust(why, entry, "another user has loaded its program");
	return open_maps(entry, key, leader, map_ids, info.nr_map_ids < MAPS_MAX ? info.nr_map_ids : MAPS_MAX, row,
			 why);
}

int bperf_leader__join(const struct attr_map_entry *entry, const struct attr_key *key, struct bperf_leader *leader,
		       int *row, struct strbuf *why)
{
	int err;

	*leader = BPERF_LEADER_NONE;
	err = open_prog(entry, leader, why);
	err = err ?: check_prog(entry, key, leader, row, why);
	if (err)
		bperf_leader__close(leader);
	return err;
}

/* ---- a new one ---- */

#define DIFF_MAP "diff_"

/* The row whose diff map @map is, or -1. */
static int row_of(const struct bpf_map *map)
{
	const char *name = bpf_map__name(map);

	return strncmp(name, DIFF_MAP, strlen(DIFF_MAP)) ? -1 : (int)strtol(name + strlen(DIFF_MAP), NULL, 16);
}

/* Only those of shared events are created. */
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
	struct bpf_map_info info;
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, leader->skel->obj)
	{
		int row = row_of(map);

		if (err || row < 0 || row >= (int)leader->info.nr_shared)
			continue;
		err = read_map_info(bpf_map__fd(map), &info);
		leader->info.diff_map_ids[row] = info.id;
	}
	return err;
}

static void note_keys(const struct bperf_events *events, struct bperf_info *info)
{
	_Static_assert(sizeof(struct attr_key) == BPERF_ATTR_SIZE, "a leader has room for each key");

	for (int row = 0; row < events->nr_shared; row++) {
		const struct attr_key key = attr_map__key_of(events->group->evsels[events->events[row]]);

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
	return err ?: bpf_map__set_value_size(skel->maps.pstat_state, (__u32)BPERF_STATE_SIZE(leader->info.nr_events));
}

/* No code of the program uses this map, by which pstat's followers know a leader of pstat: bound to the program it stays with it. */
static int bind_info(const struct bperf_leader_bpf *skel)
{
	int err = bpf_prog_bind_map(bpf_program__fd(skel->progs.on_switch), bpf_map__fd(skel->maps.pstat_leader), NULL);

	return err ? -errno : 0;
}

/* fds of one's own: a leader is used in the same way whoever made it. */
static int keep_fds(struct bperf_leader *leader)
{
	const struct bperf_leader_bpf *skel = leader->skel;

	leader->of_pstat = true;
	leader->prog_fd = fcntl(bpf_program__fd(skel->progs.on_switch), F_DUPFD_CLOEXEC, 0);
	leader->source_fd = fcntl(bpf_map__fd(skel->maps.pstat_state), F_DUPFD_CLOEXEC, 0);
	leader->events_fd = fcntl(bpf_map__fd(skel->maps.events), F_DUPFD_CLOEXEC, 0);
	return leader->prog_fd < 0 || leader->source_fd < 0 || leader->events_fd < 0 ? -errno : 0;
}

/* What is for those who will follow it. */
static int fill_info(struct bperf_leader *leader)
{
	int err = note_diff_maps(leader);
	__u32 zero = 0;

	if (!err && bpf_map_update_elem(bpf_map__fd(leader->skel->maps.pstat_leader), &zero, &leader->info, BPF_ANY))
		err = -errno;
	return err ?: bind_info(leader->skel);
}

/* *@step: in words, the last that was tried. */
static int make(const struct bperf_events *events, int nr_cpus, struct bperf_leader *leader, const char **step)
{
	int err;

	*step = "load the program that reads the counters";
	leader->skel = bperf_leader_bpf__open();
	err = leader->skel ? prepare(events, nr_cpus, leader) : -errno;
	err = err ?: bperf_leader_bpf__load(leader->skel);
	if (err)
		return err;
	*step = "tell other sessions of the program that reads the counters";
	err = fill_info(leader);
	if (err)
		return err;
	*step = "keep files open for the program that reads the counters";
	return keep_fds(leader);
}

int bperf_leader__make(struct bperf_events *events, int nr_cpus, struct bperf_leader *leader)
{
	const char *step;
	int err;

	*leader = BPERF_LEADER_NONE;
	err = make(events, nr_cpus, leader, &step);
	if (err) {
		pr_err("cannot %s: %s\n-v shows libbpf's messages", step, strerror(-err));
		return err;
	}
	err = bperf_events__hand_over(events, leader->events_fd, nr_cpus);
	if (!err)
		bperf_events__hold(events, &leader->held);
	return err;
}

int bperf_leader__attach(struct bperf_leader *leader)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	leader->link_fd = bpf_raw_tracepoint_open(LEADER_TRACEPOINT, leader->prog_fd);
	if (leader->link_fd < 0 || bpf_obj_get_info_by_fd(leader->link_fd, &info, &len)) {
		int err = -errno;

		pr_err("cannot attach to the context switch (" LEADER_TRACEPOINT "): %s", strerror(-err));
		return err;
	}
	leader->link_id = info.id;
	/* the kernel has all of it now */
	bperf_leader_bpf__destroy(leader->skel);
	leader->skel = NULL;
	return 0;
}
