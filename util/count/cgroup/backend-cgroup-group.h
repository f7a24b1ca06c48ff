/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of the cgroup backend share. backend-cgroup.c describes the backend.
 * A slot is the number that pstat assigns to a counted cgroup. A row contains the counts of one
 * slot on one CPU. A cell is one value in a row. A leader is a set of loaded BPF programs and their
 * maps. Several sessions can use the same leader.
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_GROUP_H
#define PSTAT_COUNT_BACKEND_CGROUP_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/backend.h"
#include "util/count/cgroup/backend-cgroup-load.h"

struct cgroup;
struct cgroup_follow;
struct cgroup_plan;
struct cgroup_session;
struct cgroup_slots;
struct cpumap;
struct event_fds;
struct stat_config;
struct strbuf;

/*
 * Statistics. `switches` is the number of context switches. Each of the other members is the number
 * of times that one kind of fault occurred. A fault is a problem in counting (not a page fault).
 * Each member is the sum, over all CPUs, of the member of struct cgroup_cpu with the same name.
 */
struct cgroup_faults {
	uint64_t switches, unseen, guessed, read_errors, elsewhere, nested;
};

struct cgroup_group {
	struct strbuf *why; /* backend_group.why */
	int nr_events;
	bool v1;
	struct backend_group fd_group; /* the events for which perf events are opened */
	struct event_fds *fds;
	/* for each event, its index in fd_group; -1: the event is not in fd_group */
	int *fd_events;
	bool *is_open; /* for each event, whether it can be counted */
	struct cgroup_plan *plan;
	struct cgroup_slots *slots;
	/* the cgroups in the order of the user's list; NULL with --cgroup-follow */
	struct cgroup *const *places;
	struct cgroup_follow *follow; /* NULL without --cgroup-follow */
	struct cpumap *possible;
	struct cgroup_object object;
	bool on, was_on;
	/*
	 * Buffers for one CPU, indexed by [slot of `object`][cell]: `own` contains the counts of
	 * each slot, and `sums` contains these counts plus the counts of the descendants of the
	 * slot's cgroup (cgroup_slots__add_up()). If `object` is shared, counts_of_slots()
	 * (backend-cgroup.c) then replaces the contents of `own` with this session's counts,
	 * indexed by [slot of the session][cell].
	 */
	uint64_t *own, *sums;
	struct cgroup_session *session; /* NULL: `object` is not shared */
	/* if `object` is shared: the leader's faults when this session joined or made the leader */
	struct cgroup_faults before;
};

/* ---- events: backend-cgroup-events.c ---- */

/*
 * Allocates the arrays of @priv and of @priv->fd_group that are indexed by event. Returns 0 or
 * -ENOMEM.
 */
int cgroup_group__alloc_events(struct cgroup_group *priv);
/*
 * Opens and enables the perf events of @group. If @reads is not NULL, omits each event i for which
 * @reads[i] is not negative: the leader already reads this event. Sets priv->is_open. Returns 0 or
 * -errno.
 */
int cgroup_group__open_events(struct backend_group *group, struct cgroup_group *priv,
			      const int *reads);
void cgroup_group__close_events(struct cgroup_group *priv);
/* Stores the perf events in the BPF map `events` of priv->object. Returns 0 or -errno. */
int cgroup_group__fill_events(const struct backend_group *group, const struct cgroup_group *priv);

/* ---- data of each CPU: backend-cgroup-cpus.c ---- */

/*
 * The next two functions flush CPUs: they add the counts since a CPU's previous reading to the
 * CPU's rows. cgroup_group__flush() flushes the CPUs of @group. cgroup_group__flush_leader()
 * flushes all CPUs on which the leader counts for any session. Both return 0 or -errno.
 */
int cgroup_group__flush(const struct backend_group *group);
int cgroup_group__flush_leader(const struct cgroup_group *priv);
/*
 * Makes the BPF programs skip offline CPUs and CPUs that are not in @group. If the user chose the
 * CPUs (@chosen is true), CPUs that are not in @group are never counted. If any other skipped CPU
 * comes online, the context switches on it are counted as faults (cgroup_faults.elsewhere) until
 * its events are opened.
 */
void cgroup_group__skip_others(const struct backend_group *group, const struct cgroup_group *priv,
			       bool chosen);
/*
 * Returns whether the leader @object can count on all CPUs of @group, and has room for each
 * possible CPU of this machine. The leader's events may still have to be opened on CPUs that came
 * online after the leader was made.
 */
bool cgroup_group__has_cpus(const struct backend_group *group, const struct cgroup_object *object);
/*
 * Attaches the BPF program that runs when a CPU goes offline or comes online. When a CPU goes
 * offline, the program flushes the CPU, and marks the CPU's events as stale
 * (cgroup_object__watch_cpus()). Returns 0, or -errno with the reason in @why.
 */
int cgroup_group__watch_cpus(struct cgroup_group *priv, struct strbuf *why);
void cgroup_group__find_faults(const struct cgroup_group *priv, struct cgroup_faults *faults);

/* ---- CPUs that come online: backend-cgroup-repair.c ---- */

/*
 * Opens the events of @priv->object on each CPU of @online where they are missing or stale. Events
 * become stale when their CPU goes offline: even if the CPU comes online again, they do not count.
 * Returns 0; -ENODEV or -ENXIO if a CPU has gone offline in the meantime; or another -errno. On
 * error, the reason in @why names the CPU. If @priv->object is shared, the caller must hold the
 * lock that share_lock__take() takes.
 */
int cgroup_group__repair(struct cgroup_group *priv, const struct cpumap *online,
			 struct strbuf *why);
/* Implements cpus_changed of struct counter_backend. */
int cgroup_group__cpus_changed(struct backend_group *group, const struct cpumap *online);

/* ---- loading, and sessions that do not share: backend-cgroup-alone.c ---- */

int cgroup_group__make_plan(const struct backend_group *group, struct cgroup_group *priv);
/*
 * Opens the events, and makes a plan (cgroup-plan.h) for the events that could be opened. Returns 0
 * or -errno.
 */
int cgroup_group__open_for_plan(struct backend_group *group, struct cgroup_group *priv);
/*
 * Loads the BPF programs for priv->plan. If @shared is true, leaves room in the maps for the
 * cgroups of other sessions. Returns 0, or -errno with the reason in @why.
 */
int cgroup_group__load(struct cgroup_group *priv, const struct stat_config *cfg, bool shared,
		       struct strbuf *why);
/*
 * Stores the events in a map of the loaded programs, and tells the programs which CPUs to skip
 * (cgroup_group__skip_others()). Returns 0 or -errno.
 */
int cgroup_group__fill(const struct backend_group *group, const struct cgroup_group *priv,
		       const struct stat_config *cfg);
int cgroup_group__attach(struct cgroup_group *priv);
/*
 * Opens the events, and loads and attaches programs that no other session uses. If the events are
 * already open and priv->plan exists, call cgroup_group__finish_alone() instead, which only loads
 * and attaches the programs. Both functions return 0 or -errno.
 */
int cgroup_group__make_alone(struct backend_group *group, const struct stat_config *cfg);
int cgroup_group__finish_alone(struct backend_group *group, const struct stat_config *cfg);

/* ---- sessions that share: backend-cgroup-leader.c ---- */

/* Returns the reason why this session cannot share a leader, or NULL if it can. */
const char *cgroup_group__why_alone(const struct backend_group *group,
				    const struct stat_config *cfg);
/*
 * Stores @why, the reason why the counters are not shared, in the counts of each event
 * (counts__set_sharing()). Then calls cgroup_group__make_alone(), and returns its result.
 */
int cgroup_group__open_alone(struct backend_group *group, const struct stat_config *cfg,
			     const char *why);
/*
 * Joins the leader of another session, or makes a leader. If neither is possible, makes the session
 * count without sharing, as cgroup_group__open_alone() does. Returns 0 or -errno.
 */
int cgroup_group__open_shared(struct backend_group *group, const struct stat_config *cfg);
/*
 * Called after the session has closed its leader. Removes the pinned map of leaders
 * (backend-cgroup-share.h) if none of the leaders in the map exists any longer.
 */
void cgroup_group__leave(void);

#endif
