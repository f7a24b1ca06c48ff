/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --cgroup-follow: a cgroup gets a place in the list of subjects when it is created, and leaves it
 * when it is removed. pstat adds subjects until the BPF maps have no more slots.
 *
 *	none ── reserved, made ──► live ── removed ──► gone ── last interval shown ──► gone, old ──┐
 *	  ▲                                                                                        │
 *	  └────────── if no place is free, the cgroup that was removed first gives up its place ◄──┘
 *
 * The counts of a cgroup that gives up its place are added to the last place, which is for all such
 * cgroups together. The cgroups above it also keep these counts.
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
 * Called when another cgroup gets a place. The count of the old cgroup must not be added to the
 * count of the new one.
 */
typedef void (*cgroup_reused_fn)(void *ctx, int place);

/*
 * @subjects must be empty, and @slots must have room for the places. The caller owns all arguments,
 * which must outlive the result.
 */
int cgroup_follow__new(const struct stat_config *cfg, struct subjects *subjects,
		       struct cgroup_slots *slots, struct cgroup_object *object,
		       cgroup_reused_fn reused, void *ctx, struct cgroup_follow **follow,
		       struct strbuf *why);
void cgroup_follow__free(struct cgroup_follow *follow);

/*
 * Assigns places to all existing cgroups. The programs must already be attached, so that no cgroup
 * is missed.
 */
int cgroup_follow__scan(struct cgroup_follow *follow, struct strbuf *why);

/*
 * Call this after reading all messages and flushing all CPUs. Frees slots that no cgroup uses, and
 * reserves slots for new cgroups. Returns 0 or -errno without a reason.
 */
int cgroup_follow__after_flush(struct cgroup_follow *follow);

/* Corrects the cells of a CPU, [slot][cell], for the cgroups that gave up their places. */
void cgroup_follow__adjust(const struct cgroup_follow *follow, int cpu_id, uint64_t *cells);

/* Returns the number of cgroups for which there was no place. */
uint64_t cgroup_follow__turned_away(const struct cgroup_follow *follow);

#endif
