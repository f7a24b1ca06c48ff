/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaders of shared counters: programs at the context switch that read perf events for all their
 * followers. A session makes a leader, or finds through the pinned map a leader that another
 * session of pstat, or perf, has made.
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

/* The leader owns all fds; -1: there is none. The link keeps the leader alive in the kernel. */
struct bperf_leader {
	uint32_t link_id;
	int link_fd, prog_fd;
	bool of_pstat;
	int source_fd; /* per CPU: its state; of another tool's leader, its diff map */
	int before_fd; /* of another tool's leader: its last reading */
	int events_fd; /* its perf events; may be unknown for another tool's leader */
	struct bperf_info info;
	struct bperf_leader_bpf *skel; /* of a leader that this session made */
	struct held_events held;       /* of a leader that this session made */
};

#define BPERF_LEADER_NONE                                                                       \
	(struct bperf_leader)                                                                   \
	{                                                                                       \
		.link_fd = -1, .prog_fd = -1, .source_fd = -1, .before_fd = -1, .events_fd = -1 \
	}

/*
 * Returns whether a leader's description of itself is valid: it has this version, its numbers are
 * in bounds, and each event is read in a known way.
 */
bool bperf_leader__is_sound(const struct bperf_info *info);

/*
 * Joins the leader that @entry names. It must be an attachment to sched_switch of a program
 * on_switch that root or the effective user has loaded, and its diff map must be the entry's. @key
 * is the key of the entry in the pinned map: a leader of pstat must have exactly that event.
 * Returns 0 and the row of the event in *@row. Errors: -ENOENT if the leader is gone;
 * TRUSTED_PATH_REFUSED if another user made it, or if somebody has moved the entry to another
 * event's key; another -errno if it is not a leader. @why has the reason, except for -ENOENT.
 */
int bperf_leader__join(const struct attr_map_entry *entry, const struct attr_key *key,
		       struct bperf_leader *leader, int *row, struct strbuf *why);

/*
 * Makes a leader of @events, which are open, with a diff map for each shared event. @nr_cpus is the
 * largest possible CPU id + 1. The leader is not attached yet. The caller closes it even if this
 * function fails.
 */
int bperf_leader__make(struct bperf_events *events, int nr_cpus, struct bperf_leader *leader);
/* Attaches the leader. From then on, it counts for all sessions. */
int bperf_leader__attach(struct bperf_leader *leader, struct strbuf *why);

/* Returns the entry of the pinned map for the event in @row. */
struct attr_map_entry bperf_leader__entry(const struct bperf_leader *leader, int row);

/*
 * Stops using @leader. The leader stays as long as another session follows it. Otherwise its events
 * release their hardware counters before this function returns: at once if this session made the
 * leader, else after a wait for the kernel.
 */
void bperf_leader__close(struct bperf_leader *leader);

#endif
