/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --cgroup-follow: a cgroup takes a place in the list of subjects when it is made, and leaves it when
 * it is removed. Subjects are added until the BPF maps have no more slots.
 *
 *	none ── reserved, made ──► live ── removed ──► gone ── last interval shown ──► gone, old ──┐
 *	  ▲                                                                                        │
 *	  └────────── if no place is free, the cgroup that was removed first gives up its place ◄──┘
 *
 * The counts of a cgroup that gives up its place go to the last place, which is for all such cgroups
 * together, and stay in the cgroups above it.
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

/* A place whose group was another: what it counted until now is not the new one's. */
typedef void (*cgroup_reused_fn)(void *ctx, int place);

/*
 * @subjects is empty, and @slots has room for the places. The caller owns all of it, and it has to live as long.
 */
int cgroup_follow__new(const struct stat_config *cfg, struct subjects *subjects, struct cgroup_slots *slots,
		       struct cgroup_object *object, cgroup_reused_fn reused, void *ctx, struct cgroup_follow **follow,
		       struct strbuf *why);
void cgroup_follow__free(struct cgroup_follow *follow);

/* Takes up all groups that are there. To be called with the programs attached, so that none is missed. */
int cgroup_follow__scan(struct cgroup_follow *follow, struct strbuf *why);

/*
 * To be called when messages were taken and then all CPUs settled: has slots back that nobody counts for any more, and reserves some for
 * groups to come. Returns 0 or -errno without a reason.
 */
int cgroup_follow__settled(struct cgroup_follow *follow);

/* Adds to the cells of a CPU, [slot][cell], what was counted by groups whose places are given up. */
void cgroup_follow__adjust(const struct cgroup_follow *follow, int cpu_id, uint64_t *cells);

/* Groups that found no place. */
uint64_t cgroup_follow__turned_away(const struct cgroup_follow *follow);

#endif
