/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units of shared counters. A unit is a leader (bperf-leader.h) and the events of this session
 * that the leader reads. If counters are not shared, a unit has no leader, and its follower
 * (bperf-follower.h) reads the events. Private to util/count/bperf/ and self/.
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

/*
 * The numbers of failed reads and of context switches, on all CPUs, since the program that reads
 * the events (a leader, or a follower without a leader) was loaded.
 */
struct bperf_faults {
	uint64_t errors; /* how many times an event could not be read */
	uint64_t switches;
};

struct bperf_unit {
	bool shared; /* true: `leader` is valid; false: the unit has no leader */
	struct bperf_leader leader;
	struct bperf_follower *follower; /* NULL: the session uses the leader's totals */
	/*
	 * opens events again on CPUs that were offline; NULL until a CPU goes offline or comes
	 * online
	 */
	struct bperf_cpus *repair;
	int nr;
	/* for each event of the unit, its index in the backend group */
	int events[BPERF_MAX_EVENTS];
	/*
	 * for each event of the unit, its row: its index among all events that the program (the
	 * leader, or the follower without a leader) reads
	 */
	int rows[BPERF_MAX_EVENTS];
	/*
	 * arrays [possible CPU][event of the unit]; used only if bperf_unit__counts_cpus() returns
	 * true
	 */
	struct reading *start; /* the program's totals when counting was last enabled */
	struct reading *done;  /* the counts of earlier enabled periods */
	/*
	 * the faults at the time when counting was first enabled; earlier faults are not reported
	 */
	struct bperf_faults before;
};

/* The backend's private data for its group of events (struct backend_group). */
struct bperf_group {
	struct strbuf *why; /* backend_group.why */
	struct bperf_target target;
	struct cpumap *online; /* the online CPUs; updated while pstat counts */
	/* a CPU went offline or came online after the backend was opened */
	bool cpus_changed;
	/* all possible CPUs, in the order of their values in a per-CPU map */
	struct cpumap *possible;
	int nr_cpus; /* largest possible CPU id + 1 */
	int nr_units;
	struct bperf_unit *units;
	/* for each event of the group, the index of its unit; -1: the event has no unit yet */
	int *unit_of;
	/* buffer for one entry of a per-CPU map, with the values of all possible CPUs */
	void *values;
	bool on, was_on;
	/*
	 * If this pointer is not NULL, it points to a function that is called instead of
	 * bperf_follower__follow(). Only self/ sets the pointer. Like bperf_follower__follow(), the
	 * function stores no reason for -EUSERS and -EOPNOTSUPP.
	 */
	int (*follow)(struct backend_group *group, struct bperf_unit *unit);
};

/*
 * Adds a unit without a leader and without events. Returns NULL if there is not enough memory.
 * Reallocates priv->units, so older pointers to units become invalid.
 */
struct bperf_unit *bperf_group__add_unit(struct bperf_group *priv);
void bperf_group__add_event(struct bperf_group *priv, struct bperf_unit *unit, int event, int row);

/*
 * Returns true if the session uses the per-CPU totals that the leader (or the follower without a
 * leader) keeps in its state. Returns false if the session uses the totals in the slots of
 * @unit->follower (bperf_follower__read()).
 */
bool bperf_unit__counts_cpus(const struct bperf_group *priv, const struct bperf_unit *unit);

/* Closes everything in @unit except the leader. */
void bperf_unit__close_follower(struct bperf_unit *unit);
void bperf_unit__close(struct bperf_unit *unit);

/*
 * Closes and removes all units, and sets the first @nr_events elements of priv->unit_of to -1.
 */
void bperf_group__drop_units(struct bperf_group *priv, int nr_events);

/*
 * Allocates priv->values, and the arrays `start` and `done` of all units. Call this function after
 * all events have been added to their units. Returns 0 or -ENOMEM.
 */
int bperf_group__alloc(struct bperf_group *priv);
/*
 * Enables or disables counting, and takes a reading on each CPU. On each CPU, counting starts or
 * ends at this reading, or at a context switch shortly before or after it. Returns 0, or -errno
 * with the reason in priv->why.
 */
int bperf_group__switch(struct bperf_group *priv, bool on);
/*
 * Stores the current totals in group->counts. Returns 0, or -errno with the reason in group->why.
 */
int bperf_group__read(struct backend_group *group);
/*
 * Takes a reading on each CPU. Call this function when the fd that bperf_follower__wake_fd()
 * returns becomes readable: a point of --start or --stop has then changed the gate. Returns 0, or
 * -errno with the reason in group->why.
 */
int bperf_group__serve(struct backend_group *group);
/* Warns about tasks and events that could not be counted. */
void bperf_group__report_faults(struct bperf_group *priv);
void bperf_group__free(struct bperf_group *priv);

/*
 * ---- bperf-kept.c: leaders that stay open between two repetitions ----
 *
 * All repetitions of -r have the same events, so a repetition can use the leaders of the previous
 * repetition.
 */

/*
 * Closes the followers of all units that have a leader, and moves the leaders of these units from
 * @group to a new struct bperf_kept. If there is not enough memory, returns NULL and leaves the
 * leaders in @group.
 */
struct bperf_kept *bperf_kept__take(struct backend_group *group);

/*
 * Moves each leader in @group->kept to a new unit of @group, and frees @group->kept. After an
 * error, closes the leaders that were not moved. Does nothing if @group->kept is NULL. @group must
 * have no units yet. Returns 0 or -ENOMEM.
 */
int bperf_kept__use(struct backend_group *group);

/* Closes the leaders in @group->kept, and frees @group->kept. */
void bperf_kept__close(struct backend_group *group);

/*
 * ---- bperf-repair.c: counting on all CPUs that are online ----
 *
 * Replaces the perf events that no longer count because their CPU was offline. Each session repairs
 * the events that it uses, while it holds the lock that share_lock__take() takes. If several
 * sessions use an event, the first of them to take the lock replaces the event, and the others find
 * nothing to repair.
 */

/*
 * Makes sure that @leader counts event @event of @group on every online CPU. @row is the index of
 * the event among the events of @leader. If pstat made @leader, opens the event again on CPUs where
 * the event is missing or no longer counts. If another tool made @leader, only checks whether the
 * event is counted. The caller must hold the lock that share_lock__take() takes. Returns 0; -ENODEV
 * with the reason in @why if there is an online CPU on which the event is not counted; or -ENOMEM.
 * If pstat cannot determine whether the event is counted, the result depends on @leader: -ENODEV
 * with the reason in @why if pstat made it, or 0 if another tool made it.
 */
int bperf_repair__leader(const struct backend_group *group, struct bperf_leader *leader, int event,
			 int row, struct strbuf *why);

/*
 * Repairs the events of all units after a CPU went offline or came online. @online is the list of
 * online CPUs. Warns about events that cannot be repaired. Returns 0, or -errno with the reason in
 * group->why.
 */
int bperf_repair__cpus_changed(struct backend_group *group, const struct cpumap *online);

#endif
