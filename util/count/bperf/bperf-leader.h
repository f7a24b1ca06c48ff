/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaders of shared counters: BPF programs at the context switch that read perf events for all
 * their followers. A session finds the leaders of other pstat or perf sessions through the pinned
 * map. If there is none, it makes a leader.
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

/* The leader owns all fds; -1: not open. The link keeps the leader alive in the kernel. */
struct bperf_leader {
	uint32_t link_id;
	int link_fd, prog_fd;
	bool of_pstat;
	/* per CPU: the state of the leader; if another tool made the leader, its diff map */
	int source_fd;
	int before_fd; /* the last readings of another tool's leader */
	int events_fd; /* the perf events; may be -1 for another tool's leader */
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
 * Is a leader's description of itself valid? It must have this version, its numbers must be in
 * bounds, and pstat must know how each event is read.
 */
bool bperf_leader__is_sound(const struct bperf_info *info);

/*
 * Joins the leader that @entry names. It must be a program on_switch, attached to sched_switch,
 * that root or the effective user has loaded, and must use the diff map of the entry. @key is the
 * key of the entry in the pinned map; if pstat made the leader, it must count exactly this event.
 * Returns 0, with the row of the event in *@row. Errors: -ENOENT if the leader no longer exists;
 * TRUSTED_PATH_REFUSED if another user made it, or if somebody has moved the entry to another
 * event's key; another -errno if it is not a leader. @why has the reason, except for -ENOENT.
 */
int bperf_leader__join(const struct attr_map_entry *entry, const struct attr_key *key,
		       struct bperf_leader *leader, int *row, struct strbuf *why);

/*
 * Makes a leader of the open events @events, with a diff map for each shared event. @nr_cpus is the
 * largest possible CPU id + 1. Does not attach the leader. The caller closes it even if this
 * function fails.
 */
int bperf_leader__make(struct bperf_events *events, int nr_cpus, struct bperf_leader *leader);
/* Attaches the leader. From then on, it counts for all sessions. */
int bperf_leader__attach(struct bperf_leader *leader, struct strbuf *why);

/* Returns the entry in the pinned map for the event in @row. */
struct attr_map_entry bperf_leader__entry(const struct bperf_leader *leader, int row);

/*
 * Stops using @leader. If other sessions follow it, it continues to count for them. Otherwise, its
 * events release their hardware counters before this function returns: immediately if this session
 * made the leader, otherwise after a wait for the kernel.
 */
void bperf_leader__close(struct bperf_leader *leader);

#endif
