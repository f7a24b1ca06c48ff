/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units of shared counters. A unit is a leader (bperf-leader.h) and the events of this session
 * that it reads. If counters are not shared, a unit has no leader, and its follower
 * (bperf-follower.h) reads the events. Private to the files of this backend.
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

/* Errors of a leader since it was made, summed over all CPUs. */
struct bperf_faults {
	uint64_t errors; /* the number of failed reads of individual events */
	uint64_t switches;
};

struct bperf_unit {
	bool shared; /* `leader` is valid; otherwise the unit has no leader */
	struct bperf_leader leader;
	struct bperf_follower *follower; /* NULL: the leader's totals are enough */
	struct bperf_cpus *repair;	 /* NULL until a CPU goes offline or comes online */
	int nr;
	int events[BPERF_MAX_EVENTS]; /* indexes in the backend group */
	int rows[BPERF_MAX_EVENTS];   /* rows (indexes) in the leader */
	/* If CPUs are counted: [possible CPU][event] */
	struct reading *start; /* the leader's totals when counting was last enabled */
	struct reading *done;  /* the counts of earlier enabled periods */
	/* errors of the program that reads the events, before the count started */
	struct bperf_faults before;
};

/* The backend's private data for its group. */
struct bperf_group {
	struct strbuf *why; /* backend_group.why */
	struct bperf_target target;
	bool cpus_named;	 /* -C was given */
	struct cpumap *online;	 /* CPUs on which leaders count; changes while counting */
	bool cpus_changed;	 /* `online` has changed since open */
	struct cpumap *possible; /* all possible CPUs, in the order of the values of per-CPU maps */
	int nr_cpus;		 /* largest possible CPU id + 1 */
	int nr_units;
	struct bperf_unit *units;
	int *unit_of; /* for each event of the group, the index of its unit; -1: none yet */
	void *values; /* buffer for the values of a per-CPU map; large enough for every map */
	bool on, was_on;
	/*
	 * Called instead of bperf_follower__follow() unless it is NULL. Set by self/. Returns
	 * -EUSERS and -EOPNOTSUPP without a reason.
	 */
	int (*follow)(struct backend_group *group, struct bperf_unit *unit);
};

/*
 * Adds a unit without a leader and without events. Returns NULL if there is not enough memory. May
 * move the other units.
 */
struct bperf_unit *bperf_group__add_unit(struct bperf_group *priv);
void bperf_group__add_event(struct bperf_group *priv, struct bperf_unit *unit, int event, int row);

/*
 * Returns whether the session uses the per-CPU totals of the program that reads the events.
 * Otherwise, it uses the totals of a follower.
 */
bool bperf_unit__counts_cpus(const struct bperf_group *priv, const struct bperf_unit *unit);

/* Closes everything in @unit except the leader. */
void bperf_unit__close_follower(struct bperf_unit *unit);
void bperf_unit__close(struct bperf_unit *unit);

/* Closes and removes all units. @nr_events is the number of events of the group. */
void bperf_group__drop_units(struct bperf_group *priv, int nr_events);

/* Allocates memory for readings. Returns 0 or -ENOMEM. */
int bperf_group__alloc(struct bperf_group *priv);
/*
 * Enables or disables counting. Takes a reading on each CPU. Counting starts or ends exactly at
 * this reading. Returns 0 or -errno.
 */
int bperf_group__switch(struct bperf_group *priv, bool on);
/* Stores the current totals in the counts of @group. Returns 0 or -errno. */
int bperf_group__read(struct backend_group *group);
/* Called after a point of --start or --stop has changed the gate. Returns 0 or -errno. */
int bperf_group__serve(struct backend_group *group);
/* Warns about tasks and events that could not be counted. */
void bperf_group__report_faults(struct bperf_group *priv);
void bperf_group__free(struct bperf_group *priv);

/*
 * ---- bperf-kept.c: leaders that stay open between two repetitions ----
 *
 * All repetitions have the same events, so the next repetition uses the leaders of the previous
 * one.
 */

/*
 * Closes the followers of all units that have a leader, and moves these units from @group to a new
 * object. Returns NULL if there is not enough memory. The units then stay in @group.
 */
struct bperf_kept *bperf_kept__take(struct backend_group *group);

/*
 * Moves the units from @group->kept back to @group, which must have no units yet. Returns 0 or
 * -ENOMEM.
 */
int bperf_kept__use(struct backend_group *group);

/* Closes @group->kept. */
void bperf_kept__close(struct backend_group *group);

/*
 * ---- bperf-repair.c: counting on all CPUs that are online ----
 *
 * Replaces the events that no longer count, because their CPU was offline. If several sessions use
 * a leader, each of them repairs the events that it uses. They take the same lock
 * (share_lock__take()) as for making leaders, and the first session does the work.
 */

/*
 * Makes sure that @leader counts @event of @group on every online CPU. @row is the event's row in
 * @leader. Opens the event again on CPUs where it is missing or dead. Leaders of other tools are
 * only checked. Returns 0; -ENODEV with the reason in @why if the event is not counted on some CPU;
 * or -ENOMEM. The caller holds the lock.
 */
int bperf_repair__leader(const struct backend_group *group, struct bperf_leader *leader, int event,
			 int row, struct strbuf *why);

/* Implements cpus_changed of struct counter_backend. Warns about events that cannot be repaired. */
int bperf_repair__cpus_changed(struct backend_group *group, const struct cpumap *online);

#endif
