/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of the backend for cgroups. */
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

/* The numbers of faults, over all CPUs. */
struct cgroup_faults {
	uint64_t switches, unseen, guessed, read_errors, elsewhere, nested;
};

struct cgroup_group {
	struct strbuf *why; /* owned by the backend group */
	int nr_events;
	bool v1;
	struct backend_group fd_group; /* the events that need counters */
	struct event_fds *fds;
	int *fd_events; /* [event]: index in fd_group, or -1 */
	bool *is_open;	/* [event] */
	struct cgroup_plan *plan;
	struct cgroup_slots *slots;
	struct cgroup *const *places; /* cgroups by subject; NULL with `follow` */
	struct cgroup_follow *follow; /* NULL without --cgroup-follow */
	struct cpumap *possible;
	struct cgroup_object object;
	bool on, was_on;
	uint64_t *own, *sums; /* [slot][cell]: buffers for one CPU, with the slots of @object */
	struct cgroup_session *session; /* NULL: no other session uses @object */
	struct cgroup_faults before;	/* the faults before this session joined */
};

/* ---- events: backend-cgroup-events.c ---- */

/* Allocates the members above that are indexed by event. Returns 0 or -ENOMEM. */
int cgroup_group__alloc_events(struct cgroup_group *priv);
/*
 * Opens the events that need counters. If @reads is given, omits each event i for which @reads[i]
 * is not negative, because another session reads it. Sets is_open for each event that can be
 * counted.
 */
int cgroup_group__open_events(struct backend_group *group, struct cgroup_group *priv,
			      const int *reads);
void cgroup_group__close_events(struct cgroup_group *priv);
/* Puts the perf fds into the BPF map, by CPU id. */
int cgroup_group__fill_events(const struct backend_group *group, const struct cgroup_group *priv);

/* ---- data of each CPU: backend-cgroup-cpus.c ---- */

/* Flushes the CPUs of @group, or all CPUs of the leader. */
int cgroup_group__flush(const struct backend_group *group);
int cgroup_group__flush_leader(const struct cgroup_group *priv);
/*
 * Makes the BPF program skip the CPUs that are not counted. @chosen: the user chose the CPUs. If
 * not, context switches on CPUs that come online later are counted as faults, which pstat reports.
 */
void cgroup_group__skip_others(const struct backend_group *group, const struct cgroup_group *priv,
			       bool chosen);
/*
 * Returns whether @object was made for all CPUs of @group (even if events are missing on some of
 * them now), and has room for each possible CPU of this machine.
 */
bool cgroup_group__has_cpus(const struct backend_group *group, const struct cgroup_object *object);
/*
 * From now on, BPF records which CPUs go offline: see cgroup_object__watch_cpus(). Returns 0, or
 * -errno and the reason in @why.
 */
int cgroup_group__watch_cpus(struct cgroup_group *priv, struct strbuf *why);
void cgroup_group__find_faults(const struct cgroup_group *priv, struct cgroup_faults *faults);

/* ---- CPUs that come online: backend-cgroup-repair.c ---- */

/*
 * Opens events on the CPUs of @online that came online after the program was made, so that it
 * counts on all CPUs. Returns 0, or -errno and the reason, which names the CPU, in @why: -ENODEV or
 * -ENXIO if the CPU is offline again. If other sessions may use the program, the caller holds the
 * lock for leaders.
 */
int cgroup_group__repair(struct cgroup_group *priv, const struct cpumap *online,
			 struct strbuf *why);
/* Implements cpus_changed of struct counter_backend. */
int cgroup_group__cpus_changed(struct backend_group *group, const struct cpumap *online);

/* ---- programs that no other session uses: backend-cgroup-alone.c ---- */

int cgroup_group__make_plan(const struct backend_group *group, struct cgroup_group *priv);
/* Opens the events and makes a plan for those that could be opened. */
int cgroup_group__open_for_plan(struct backend_group *group, struct cgroup_group *priv);
/*
 * Loads the programs for the plan. If it is @shared, also reserves room for other sessions. Returns
 * 0, or -errno with the reason in @why.
 */
int cgroup_group__load(struct cgroup_group *priv, const struct stat_config *cfg, bool shared,
		       struct strbuf *why);
/* Passes the events and the CPUs to the loaded programs. */
int cgroup_group__fill(const struct backend_group *group, const struct cgroup_group *priv,
		       const struct stat_config *cfg);
int cgroup_group__attach(struct cgroup_group *priv);
/*
 * Opens the events, loads the programs and attaches them, for a session that shares nothing. If the
 * events are already open, cgroup_group__finish_alone() does the other steps.
 */
int cgroup_group__make_alone(struct backend_group *group, const struct stat_config *cfg);
int cgroup_group__finish_alone(struct backend_group *group, const struct stat_config *cfg);

/* ---- sessions that share: backend-cgroup-leader.c ---- */

/* Returns the reason why other sessions cannot use the counters, or NULL if they can. */
const char *cgroup_group__why_alone(const struct backend_group *group,
				    const struct stat_config *cfg);
/*
 * Like cgroup_group__make_alone(), but also stores in the counts the reason why they are not
 * shared.
 */
int cgroup_group__open_alone(struct backend_group *group, const struct stat_config *cfg,
			     const char *why);
/* Joins a leader, makes a leader, or counts without sharing. */
int cgroup_group__open_shared(struct backend_group *group, const struct stat_config *cfg);
/*
 * Call this after the session has left its leader: removes the pinned map if no session needs it.
 */
void cgroup_group__leave(void);

#endif
