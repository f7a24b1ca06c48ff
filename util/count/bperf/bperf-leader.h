/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaders of shared counters. A leader is a BPF program that reads perf events of the current CPU
 * at each context switch. Followers (bperf-follower.h) use its readings. A session finds the
 * leaders of other sessions through the pinned map (attr-map.h). For events without a leader, it
 * makes a leader.
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
 * A leader that this session uses. Owns the fds; -1: not open. The link keeps the leader alive in
 * the kernel.
 */
struct bperf_leader {
	uint32_t link_id;
	int link_fd, prog_fd;
	bool of_pstat;
	/* a per-CPU map: the state of the leader; if another tool made the leader, its diff map */
	int source_fd;
	int before_fd; /* a map with the last readings of another tool's leader */
	int events_fd; /* a map of perf events; may be -1 for another tool's leader */
	struct bperf_info info;
	struct bperf_leader_bpf *skel; /* only if this session made the leader */
	struct held_events held;       /* only if this session made the leader */
};

#define BPERF_LEADER_NONE                                                                       \
	(struct bperf_leader)                                                                   \
	{                                                                                       \
		.link_fd = -1, .prog_fd = -1, .source_fd = -1, .before_fd = -1, .events_fd = -1 \
	}

/*
 * Returns whether the description that a leader made by pstat contains is valid: its version is
 * known and its numbers are in bounds.
 */
bool bperf_leader__is_sound(const struct bperf_info *info);

/*
 * Opens the leader that @entry names. Checks that it is a program on_switch at sched_switch, that
 * root or the effective user loaded it, and that it uses the diff map of the entry. @key is the key
 * of the entry in the pinned map. If pstat made the leader, checks that the leader lists this key.
 *
 * Returns 0 and sets *@row to the row of the event. Errors: -ENOENT without a reason if the leader
 * no longer exists; TRUSTED_PATH_REFUSED if another user loaded it, or if the entry is under
 * another event's key; another -errno if it is not a valid leader. Stores the reason in @why.
 */
int bperf_leader__join(const struct attr_map_entry *entry, const struct attr_key *key,
		       struct bperf_leader *leader, int *row, struct strbuf *why);

/*
 * Loads a leader for the open events @events, with a diff map for each shared event. Does not
 * attach the leader. @nr_cpus is the largest possible CPU id + 1. Returns 0 or -errno. The caller
 * closes *@leader even if this function fails.
 */
int bperf_leader__make(struct bperf_events *events, int nr_cpus, struct bperf_leader *leader);
/*
 * Attaches the leader to the context switch. From then on, all sessions can use it. Returns 0 or
 * -errno.
 */
int bperf_leader__attach(struct bperf_leader *leader, struct strbuf *why);

/* Returns the entry for the pinned map that describes the event in @row. */
struct attr_map_entry bperf_leader__entry(const struct bperf_leader *leader, int row);

/*
 * Stops using @leader. It continues to exist if other sessions use it. Otherwise, its events
 * release their hardware counters before this function returns. If another session made the leader,
 * this may take more than 20 ms.
 */
void bperf_leader__close(struct bperf_leader *leader);

#endif
