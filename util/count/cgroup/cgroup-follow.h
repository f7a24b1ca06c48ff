/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --cgroup-follow: a cgroup takes a place in the list of subjects when it is made, and leaves it
 * when it is removed. Subjects are added until the BPF maps have no more slots.
 *
 *	none ── reserved, made ──► live ── removed ──► gone ── last interval shown ──► gone, old ──┐
 *	  ▲                                                                                        │
 *	  └────────── if no place is free, the cgroup that was removed first gives up its place ◄──┘
 *
 * The counts of a cgroup that gives up its place go to the last place, which is for all such
 * cgroups together, and stay in the cgroups above it.
 */
#ifndef PSTAT_COUNT_CGROUP_FOLLOW_H
#define PSTAT_COUNT_CGROUP_FOLLOW_H

#include <stdint.h>

struct cgroup_follow;
struct cgroup_object;
struct cgroup_slots;
struct stat_config;
struct strbuf;
struct subjects;

/*
 * Called when a place is given to another cgroup. The count of the old cgroup must not be added to
 * that of the new one.
 */
typedef void (*cgroup_reused_fn)(void *ctx, int place);

/*
 * @subjects is empty, and @slots has room for the places. The caller owns all arguments, and they
 * must outlive the result.
 */
int cgroup_follow__new(const struct stat_config *cfg, struct subjects *subjects,
		       struct cgroup_slots *slots, struct cgroup_object *object,
		       cgroup_reused_fn reused, void *ctx, struct cgroup_follow **follow,
		       struct strbuf *why);
void cgroup_follow__free(struct cgroup_follow *follow);

/*
 * Gives places to all existing cgroups. The programs must already be attached, so that no cgroup is
 * missed.
 */
int cgroup_follow__scan(struct cgroup_follow *follow, struct strbuf *why);

/*
 * Called after messages were read and all CPUs were flushed. Reclaims slots that no cgroup uses,
 * and reserves some for new cgroups. Returns 0 or -errno without a reason.
 */
int cgroup_follow__after_flush(struct cgroup_follow *follow);

/* Adds the counts of cgroups that gave up their places to the cells of a CPU, [slot][cell]. */
void cgroup_follow__adjust(const struct cgroup_follow *follow, int cpu_id, uint64_t *cells);

/* Returns the number of cgroups for which there was no place. */
uint64_t cgroup_follow__turned_away(const struct cgroup_follow *follow);

#endif
