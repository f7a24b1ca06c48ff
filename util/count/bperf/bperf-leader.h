/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaders of shared counters. A leader is a BPF program that reads perf events of the current CPU
 * at each context switch. Followers (bperf-follower.h) use the leader's readings. A session finds
 * the leaders of other sessions through the pinned map (attr-map.h). For the events that no leader
 * reads, the session makes a new leader.
 */
#ifndef PSTAT_COUNT_BPERF_LEADER_H
#define PSTAT_COUNT_BPERF_LEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf_skel/bperf.h"
#include "util/count/share/held-events.h"

struct attr_key;
struct attr_map_entry;
struct bperf_events;
struct bperf_leader_bpf;
struct strbuf;

/*
 * A leader that this session uses. The struct owns the fds; -1 means that an fd is not open. The
 * link `link_fd` keeps the leader alive in the kernel.
 */
struct bperf_leader {
	uint32_t link_id;
	int link_fd, prog_fd;
	bool of_pstat;
	/*
	 * a per-CPU map: if pstat made the leader, its map pstat_state (a struct bperf_state and
	 * arrays of the events' values); if another tool made the leader, the diff map
	 * (attr_map_entry.diff_map_id)
	 */
	int source_fd;
	int before_fd; /* the map of the latest readings; only if another tool made the leader */
	int events_fd; /* the map of perf events; may be -1 if another tool made the leader */
	struct bperf_info info;
	/* from bperf_leader__make() to bperf_leader__attach(); otherwise NULL */
	struct bperf_leader_bpf *skel;
	struct held_events held; /* the perf events that this session has opened */
};

#define BPERF_LEADER_NONE                                                                       \
	(struct bperf_leader)                                                                   \
	{                                                                                       \
		.link_fd = -1, .prog_fd = -1, .source_fd = -1, .before_fd = -1, .events_fd = -1 \
	}

/*
 * Returns whether @info, which was read from a leader's map, is valid: this pstat supports
 * info->version, and the numbers of events and the elements of info->plan are in bounds.
 */
bool bperf_leader__is_sound(const struct bperf_info *info);

/*
 * Opens the leader whose link has the id in @entry. @key is the key of this entry in the pinned
 * map. Checks that the leader is a program named on_switch and attached to sched_switch, that root
 * or the effective user loaded this program, and that the program uses the diff map of the entry.
 * If pstat made the leader, checks that the leader's own list of keys (bperf_info.attrs) contains
 * @key.
 *
 * Returns 0 and sets *@row to the index (row) of the entry's event among the leader's events.
 * Returns -ENOENT, without a reason, if the leader no longer exists. On all other errors, stores
 * the reason in @why. Returns TRUSTED_PATH_REFUSED if another user loaded the leader, or if the
 * leader lists another key for the entry's diff map. Returns another -errno if the leader is not
 * valid.
 */
int bperf_leader__join(const struct attr_map_entry *entry, const struct attr_key *key,
		       struct bperf_leader *leader, int *row, struct strbuf *why);

/*
 * Loads a leader for @events, which must be open. The leader has a diff map (attr-map.h) for each
 * shared event. Stores the perf events of @events in the leader's map of events, and enables them.
 * Does not attach the leader. @nr_cpus is the largest possible CPU id + 1. Returns 0, or -errno
 * with the reason in events->group->why. The caller must close *@leader even if this function
 * fails.
 */
int bperf_leader__make(struct bperf_events *events, int nr_cpus, struct bperf_leader *leader);
/*
 * Attaches the leader to the tracepoint sched_switch, and stores the link and its id in @leader.
 * Other sessions can use the leader as soon as the pinned map has an entry for it. Returns 0, or
 * -errno with the reason in @why.
 */
int bperf_leader__attach(struct bperf_leader *leader, struct strbuf *why);

/*
 * Returns the entry through which other sessions can find the event in row @row of @leader. The
 * caller adds the entry to the pinned map.
 */
struct attr_map_entry bperf_leader__entry(const struct bperf_leader *leader, int row);

/*
 * Stops using @leader. If other sessions use the leader, it continues to exist. Otherwise, if pstat
 * made the leader, the leader's events release their hardware counters before this function
 * returns. This may take more than 20 ms if another session made the leader.
 */
void bperf_leader__close(struct bperf_leader *leader);

#endif
