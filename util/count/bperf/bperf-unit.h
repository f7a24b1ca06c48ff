/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units of shared counters. A unit is a leader, or no leader, and the events of this session
 * that it counts. These declarations are private to the files of the backend.
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

/* Errors of a leader since it was made, on all CPUs. */
struct bperf_faults {
	uint64_t errors; /* the number of failed reads of an event */
	uint64_t switches;
};

struct bperf_unit {
	bool shared; /* `leader` is valid; otherwise the follower reads the events itself */
	struct bperf_leader leader;
	struct bperf_follower *follower; /* NULL: the session needs only the leader's totals */
	struct bperf_cpus *repair;	 /* NULL until a CPU goes offline or comes online */
	int nr;
	int events[BPERF_MAX_EVENTS]; /* indexes in the group */
	int rows[BPERF_MAX_EVENTS];   /* rows of the leader */
	/* If CPUs are counted, indexed by possible CPU and event: */
	struct reading *start; /* the totals when counting was last enabled */
	struct reading *done;  /* the counts of earlier periods */
	/* errors of the program that reads the events, when counting started */
	struct bperf_faults before;
};

/* The backend's private data of its group. */
struct bperf_group {
	struct strbuf *why; /* owned by the backend group */
	struct bperf_target target;
	bool cpus_named;	 /* -C was given, so events are counted only on these CPUs */
	struct cpumap *online;	 /* CPUs on which leaders count; changes while counting */
	bool cpus_changed;	 /* whether `online` changed since open */
	struct cpumap *possible; /* the order of the per-CPU values of maps */
	int nr_cpus;		 /* largest possible CPU id + 1 */
	int nr_units;
	struct bperf_unit *units;
	int *unit_of; /* [event of the group]: its unit; -1: none yet */
	void *values; /* the values of one map lookup; large enough for every map */
	bool on, was_on;
	/*
	 * Replaces the follower: follows a unit's leader in another way (self/). Returns -EUSERS
	 * and -EOPNOTSUPP without a reason. NULL: a follower is used.
	 */
	int (*follow)(struct backend_group *group, struct bperf_unit *unit);
};

/*
 * Adds a unit that has neither a leader nor events. Returns NULL if memory ran out. May move the
 * other units.
 */
struct bperf_unit *bperf_group__add_unit(struct bperf_group *priv);
void bperf_group__add_event(struct bperf_group *priv, struct bperf_unit *unit, int event, int row);

/*
 * Does the reader of the events already have the totals that the session needs? If not, a follower
 * adds them up.
 */
bool bperf_unit__counts_cpus(const struct bperf_group *priv, const struct bperf_unit *unit);

/* Closes everything that belongs to a single repetition, except the leader. */
void bperf_unit__close_follower(struct bperf_unit *unit);
void bperf_unit__close(struct bperf_unit *unit);

/* Closes all units, as before the first one was added. */
void bperf_group__drop_units(struct bperf_group *priv, int nr_events);

/* Allocates memory for readings. Returns 0 or -ENOMEM. */
int bperf_group__alloc(struct bperf_group *priv);
/*
 * Enables or disables counting. For this purpose, takes a reading on each CPU; counting starts or
 * ends exactly at this reading.
 */
int bperf_group__switch(struct bperf_group *priv, bool on);
/* Stores the current counts of @group. */
int bperf_group__read(struct backend_group *group);
/* Call this after a point has changed the gate. */
int bperf_group__serve(struct backend_group *group);
/* Warns of runs and events that could not be counted. */
void bperf_group__report_faults(struct bperf_group *priv);
void bperf_group__free(struct bperf_group *priv);

/*
 * ---- bperf-kept.c: leaders that stay open between two repetitions ----
 *
 * The events of all repetitions are the same, so the next repetition uses the open events of the
 * previous one.
 */

/*
 * Moves the units that have a leader from @group to a new object, without their followers. Returns
 * NULL if memory ran out; the units then stay in @group.
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
 * Each of them repairs the events that it uses, and takes the same lock as for making leaders. If
 * another session was faster, there is nothing left to do.
 */

/*
 * Makes sure that @leader counts @event of @group, which is its row @row, on every online CPU.
 * Opens the event again on CPUs where it is missing or dead. Only pstat's leaders can be repaired
 * in this way. Returns 0; -ENODEV and the reason in @why if the event is not counted on some CPU;
 * or -ENOMEM. The caller holds the lock.
 */
int bperf_repair__leader(const struct backend_group *group, struct bperf_leader *leader, int event,
			 int row, struct strbuf *why);

/*
 * Implements cpus_changed of struct counter_backend: the online CPUs are now @online. Warns of
 * events that cannot be repaired.
 */
int bperf_repair__cpus_changed(struct backend_group *group, const struct cpumap *online);

#endif
