/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds leaders (bperf-leader.h) for a session's events through the pinned map (attr-map.h), makes
 * one new leader for the events that no leader reads, and attaches the followers (bperf-follower.h)
 * that the session needs.
 */
#ifndef PSTAT_COUNT_BPERF_SHARE_H
#define PSTAT_COUNT_BPERF_SHARE_H

struct pinned_map;
struct backend_group;
struct strbuf;

/*
 * Checks whether counters can be shared. Returns 0; -EPERM if the user is not allowed to share
 * counters; or -EOPNOTSUPP if the kernel does not support sharing. On error, stores the reason in
 * @why_not.
 */
int bperf_share__probe(struct strbuf *why_not);

/*
 * Makes units (bperf-unit.h) for all events of @group that can be counted. First uses the leaders
 * that were kept from the previous repetition (bperf_kept__use()), then joins the leaders that @map
 * lists for the other events. Makes one new leader for all events that no leader reads, and adds an
 * entry to @map for each of the new leader's events that can be shared. If some leaders cannot have
 * more followers, makes another new leader, which replaces these leaders (bperf-rest.h). Returns 0,
 * or -errno with the reason in group->why. Returns -EOPNOTSUPP without a reason if this kernel does
 * not support followers.
 */
int bperf_share__open(struct backend_group *group, struct pinned_map *map);

#endif
