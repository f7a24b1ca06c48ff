/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units of shared counters: a leader, or none, and the events of this session that are counted
 * there. These declarations are private to the files of the backend.
 */
#ifndef PSTAT_COUNT_BPERF_UNIT_H
#define PSTAT_COUNT_BPERF_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf_skel/bperf.h"
#include "util/count/bperf/bperf-follower.h"
#include "util/count/bperf/bperf-leader.h"
#include "util/count/counts.h"

struct backend_group;
struct bperf_cpus;
struct bperf_kept;
struct bperf_leader;
struct cpumap;
struct strbuf;

/* Since a leader was made, on all CPUs. */
struct bperf_faults {
	uint64_t errors; /* events that could not be read, over all readings */
	uint64_t switches;
};

struct bperf_unit {
	bool shared; /* `leader` is valid; otherwise the follower reads the events itself */
	struct bperf_leader leader;
	struct bperf_follower *follower; /* NULL: the session needs only the leader's totals */
	struct bperf_cpus *repair;	 /* NULL until a CPU goes offline or comes online */
	int nr;
	int events[BPERF_MAX_EVENTS]; /* in the group */
	int rows[BPERF_MAX_EVENTS];   /* of the leader */
	/* If CPUs are counted, by possible CPU and event: */
	struct reading *start;	    /* the totals when counting was last enabled */
	struct reading *done;	    /* counts from before that moment */
	struct bperf_faults before; /* of the program that reads the events, at the start */
};

/* The backend's private data of its group. */
struct bperf_group {
	struct strbuf *why; /* that of the backend group */
	struct bperf_target target;
	bool cpus_named;	 /* -C was given, so events are counted only on its CPUs */
	struct cpumap *online;	 /* CPUs on which leaders count; changes while counting */
	bool cpus_changed;	 /* whether `online` changed since open */
	struct cpumap *possible; /* per-CPU values of maps have this order */
	int nr_cpus;		 /* largest possible CPU id + 1 */
	int nr_units;
	struct bperf_unit *units;
	int *unit_of; /* by event of the group; -1: none yet */
	void *values; /* what one lookup in a map gives, of the largest */
	bool on, was_on;
	/*
	 * Follows a unit's leader instead of a follower, for callers that count in another way.
	 * -EUSERS and -EOPNOTSUPP have no reason. NULL: a follower is used.
	 */
	int (*follow)(struct backend_group *group, struct bperf_unit *unit);
};

/*
 * Adds a unit without leader and events. Returns NULL if there is no memory. Earlier units may have
 * moved.
 */
struct bperf_unit *bperf_group__add_unit(struct bperf_group *priv);
void bperf_group__add_event(struct bperf_group *priv, struct bperf_unit *unit, int event, int row);

/*
 * Returns whether the reader of the events already has the totals that the session needs. If not, a
 * follower adds them up.
 */
bool bperf_unit__counts_cpus(const struct bperf_group *priv, const struct bperf_unit *unit);

/* Closes everything that belongs to a single run, except the leader. */
void bperf_unit__close_follower(struct bperf_unit *unit);
void bperf_unit__close(struct bperf_unit *unit);

/* Restores the state before the first unit. */
void bperf_group__drop_units(struct bperf_group *priv, int nr_events);

/* Allocates memory for readings. Returns 0 or -ENOMEM. */
int bperf_group__alloc(struct bperf_group *priv);
/* Enables or disables counting, exactly at a reading that is taken for this purpose. */
int bperf_group__switch(struct bperf_group *priv, bool on);
/* Fills the counts of @group up to now. */
int bperf_group__read(struct backend_group *group);
/* With points: to be called after one of them has changed the gate. */
int bperf_group__serve(struct backend_group *group);
/* Warns of runs and events that could not be counted. */
void bperf_group__report_faults(struct bperf_group *priv);
void bperf_group__free(struct bperf_group *priv);

/*
 * ---- bperf-kept.c: leaders that stay between two runs of a series ----
 *
 * The events of a series are the same in each run, so the next run uses the events of the previous
 * run, and opens none.
 */

/*
 * Takes the units that have a leader from @group, without their followers. Returns NULL if there is
 * no memory; the units then stay in @group.
 */
struct bperf_kept *bperf_kept__take(struct backend_group *group);

/*
 * Moves the units from @group->kept back to @group, which must not have any other unit yet. Returns
 * 0 or -ENOMEM.
 */
int bperf_kept__use(struct backend_group *group);

/* Closes @group->kept. */
void bperf_kept__close(struct backend_group *group);

/*
 * ---- bperf-repair.c: counting on all CPUs that are online ----
 *
 * Finds the events that no longer count and replaces them. Several sessions can follow one leader.
 * Each repairs the events that it uses, under the lock that also protects the making of leaders. A
 * session finds nothing left to do where another session was faster.
 */

/*
 * Makes sure that @leader counts @event of @group, which is its row @row, on every online CPU.
 * Opens events again where they are missing or dead. Only a leader of pstat can be repaired in this
 * way. Returns 0; -ENODEV and the reason in @why if the event is not counted on some CPU; or
 * -ENOMEM. The caller holds the lock.
 */
int bperf_repair__leader(const struct backend_group *group, struct bperf_leader *leader, int event,
			 int row, struct strbuf *why);

/*
 * Implements cpus_changed of struct counter_backend: the CPUs of @online are online now. pstat
 * warns of events that it cannot repair.
 */
int bperf_repair__cpus_changed(struct backend_group *group, const struct cpumap *online);

#endif
