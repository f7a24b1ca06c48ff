/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --cgroup-follow: counts the cgroups that the user selected (with patterns), including those that
 * are created while pstat counts. Each counted cgroup has a place, which is an index in the list of
 * subjects (subjects.h). In the BPF maps, place i has slot i + 1. pstat adds places as needed,
 * until all slots of the BPF maps are in use. The states of a place (enum subject_state) are:
 *
 *	none ── assigned ──► live ── cgroup removed ──► gone ── interval ends ──► gone, old
 *	  ▲                                               │                           │
 *	  └── cgroup loses its place ◄────────────────────┴───────────────────────────┘
 *
 * If there is no free place for a new cgroup, a removed cgroup loses its place: the one that was
 * removed first. If no removed cgroup has a place, the new cgroup does not get one
 * (cgroup_follow__turned_away()). All cgroups that have lost their places share one additional
 * place, "(gone)", which has the highest index. When a removed cgroup loses its place, its counts
 * are added to "(gone)". The sums of the cgroups above the removed cgroup still include its counts.
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
 * Called when @place becomes free for another cgroup. The function must set the counts of all
 * events for the subject @place to zero.
 */
typedef void (*cgroup_reused_fn)(void *ctx, int place);

/*
 * Makes *@follow. @subjects must be empty, and @slots must come from cgroup_slots__new_places().
 * @cfg, @subjects, @slots, @object and @ctx belong to the caller, and must outlive *@follow.
 * Returns 0, or -errno with the reason in @why.
 */
int cgroup_follow__new(const struct stat_config *cfg, struct subjects *subjects,
		       struct cgroup_slots *slots, struct cgroup_object *object,
		       cgroup_reused_fn reused, void *ctx, struct cgroup_follow **follow,
		       struct strbuf *why);
void cgroup_follow__free(struct cgroup_follow *follow);

/*
 * Assigns places to all existing cgroups that the user selected, and then reserves slots for new
 * cgroups (cgroup_follow__after_flush()). The BPF programs must already be attached. Otherwise,
 * pstat would miss a cgroup that is created after this call and before the programs are attached.
 * Returns 0, or -errno with the reason in @why.
 */
int cgroup_follow__scan(struct cgroup_follow *follow, struct strbuf *why);

/*
 * A BPF program gives a reserved slot, if one is left, to each new cgroup. This function frees the
 * slots of the new cgroups that the user did not select, and reserves slots for later cgroups. Call
 * it after all messages about new and removed cgroups (struct cgroup_message) have been read, and
 * all CPUs have been flushed (cgroup_group__flush()). Returns 0 or -errno.
 */
int cgroup_follow__after_flush(struct cgroup_follow *follow);

/*
 * @cells contains the counts that the BPF programs have stored for the CPU @cpu_id, indexed by
 * [slot][cell]. For each cgroup whose slot has been freed, subtracts the cgroup's counts from this
 * slot, and adds them to the slot's parent (cgroup_slots.parent), if there is one. If the user
 * selected the cgroup, also adds its counts to the slot of "(gone)".
 */
void cgroup_follow__adjust(const struct cgroup_follow *follow, int cpu_id, uint64_t *cells);

/* Returns the number of selected cgroups for which there was no place. */
uint64_t cgroup_follow__turned_away(const struct cgroup_follow *follow);

#endif
