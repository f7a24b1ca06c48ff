/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of the cgroup backend share. backend-cgroup.c describes the backend.
 * Its terms: a slot is the number of a listed cgroup; a row contains the counts of a slot on a CPU;
 * a cell is one value in a row. A leader is the loaded BPF programs and their rows, if other
 * sessions may use them too.
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

/* Each member is the sum, over all CPUs, of the member of struct cgroup_cpu with the same name. */
struct cgroup_faults {
	uint64_t switches, unseen, guessed, read_errors, elsewhere, nested;
};

struct cgroup_group {
	struct strbuf *why; /* backend_group.why */
	int nr_events;
	bool v1;
	struct backend_group fd_group; /* the events that need perf events */
	struct event_fds *fds;
	int *fd_events; /* for each event, its index in fd_group, or -1 */
	bool *is_open;	/* for each event, whether it can be counted */
	struct cgroup_plan *plan;
	struct cgroup_slots *slots;
	struct cgroup *const *places; /* for each subject, its cgroup; NULL with --cgroup-follow */
	struct cgroup_follow *follow; /* NULL without --cgroup-follow */
	struct cpumap *possible;
	struct cgroup_object object;
	bool on, was_on;
	uint64_t *own, *sums;		/* [slot of @object][cell]: buffers for one CPU */
	struct cgroup_session *session; /* NULL: @object is not shared */
	struct cgroup_faults before;	/* the faults before this session joined the leader */
};

/* ---- events: backend-cgroup-events.c ---- */

/* Allocates the members above that are indexed by event. Returns 0 or -ENOMEM. */
int cgroup_group__alloc_events(struct cgroup_group *priv);
/*
 * Opens the perf events. If @reads is not NULL, omits each event i for which @reads[i] is not
 * negative, because the leader reads the event already. Sets is_open. Returns 0 or -errno.
 */
int cgroup_group__open_events(struct backend_group *group, struct cgroup_group *priv,
			      const int *reads);
void cgroup_group__close_events(struct cgroup_group *priv);
/* Stores the perf events in the BPF map. Returns 0 or -errno. */
int cgroup_group__fill_events(const struct backend_group *group, const struct cgroup_group *priv);

/* ---- data of each CPU: backend-cgroup-cpus.c ---- */

/*
 * Flush the CPUs of @group, or all CPUs on which the leader counts: add the counts since the last
 * reading to the rows. Return 0 or -errno.
 */
int cgroup_group__flush(const struct backend_group *group);
int cgroup_group__flush_leader(const struct cgroup_group *priv);
/*
 * Makes the BPF program skip the CPUs that are not counted. @chosen is true if the user chose the
 * CPUs. If it is false, context switches on CPUs that come online later are counted as faults.
 */
void cgroup_group__skip_others(const struct backend_group *group, const struct cgroup_group *priv,
			       bool chosen);
/*
 * Returns whether @object was made for all CPUs of @group, and has room for each possible CPU of
 * this machine. Events may be missing on CPUs that came online later.
 */
bool cgroup_group__has_cpus(const struct backend_group *group, const struct cgroup_object *object);
/* Calls cgroup_object__watch_cpus(). Returns 0, or -errno with the reason in @why. */
int cgroup_group__watch_cpus(struct cgroup_group *priv, struct strbuf *why);
void cgroup_group__find_faults(const struct cgroup_group *priv, struct cgroup_faults *faults);

/* ---- CPUs that come online: backend-cgroup-repair.c ---- */

/*
 * Opens events on the CPUs of @online where the events are missing or stale. Returns 0, or -errno
 * with a reason in @why that names the CPU; -ENODEV or -ENXIO if the CPU is offline again. If
 * @priv->object is shared, the caller holds the share lock.
 */
int cgroup_group__repair(struct cgroup_group *priv, const struct cpumap *online,
			 struct strbuf *why);
/* Implements cpus_changed of struct counter_backend. */
int cgroup_group__cpus_changed(struct backend_group *group, const struct cpumap *online);

/* ---- programs that no other session uses: backend-cgroup-alone.c ---- */

int cgroup_group__make_plan(const struct backend_group *group, struct cgroup_group *priv);
/* Opens the events and makes a plan (cgroup-plan.h) for the events that could be opened. */
int cgroup_group__open_for_plan(struct backend_group *group, struct cgroup_group *priv);
/*
 * Loads the programs for the plan. If @shared is true, adds slots for the cgroups of other
 * sessions. Returns 0, or -errno with the reason in @why.
 */
int cgroup_group__load(struct cgroup_group *priv, const struct stat_config *cfg, bool shared,
		       struct strbuf *why);
/* Passes the events and the CPUs to the loaded programs. */
int cgroup_group__fill(const struct backend_group *group, const struct cgroup_group *priv,
		       const struct stat_config *cfg);
int cgroup_group__attach(struct cgroup_group *priv);
/*
 * Opens the events, and loads and attaches programs that no other session uses.
 * cgroup_group__finish_alone() does the same if the events are already open.
 */
int cgroup_group__make_alone(struct backend_group *group, const struct stat_config *cfg);
int cgroup_group__finish_alone(struct backend_group *group, const struct stat_config *cfg);

/* ---- sessions that share: backend-cgroup-leader.c ---- */

/* Returns the reason why this session cannot share a leader, or NULL if it can. */
const char *cgroup_group__why_alone(const struct backend_group *group,
				    const struct stat_config *cfg);
/*
 * Like cgroup_group__make_alone(). Also stores @why, the reason why the counters are not shared, in
 * the counts.
 */
int cgroup_group__open_alone(struct backend_group *group, const struct stat_config *cfg,
			     const char *why);
/* Joins a leader or makes a leader. If neither is possible, counts without sharing. */
int cgroup_group__open_shared(struct backend_group *group, const struct stat_config *cfg);
/* Removes the pinned map if no session needs it. Called after the session has closed its leader. */
void cgroup_group__leave(void);

#endif
