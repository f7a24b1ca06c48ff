/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds or makes the leaders of a session's events through the pinned map, and follows them. */
#ifndef PSTAT_COUNT_BPERF_SHARE_H
#define PSTAT_COUNT_BPERF_SHARE_H

struct pinned_map;
struct backend_group;
struct strbuf;

/*
 * Returns 0; or, with the reason in @why_not, -EPERM if this user may not share counters, or
 * -EOPNOTSUPP if the kernel does not support sharing.
 */
int bperf_share__probe(struct strbuf *why_not);

/*
 * Finds or makes a unit for each event of @group (of backend_bperf) that can be counted: joins the
 * leaders that the map lists, makes a leader for the other events, and adds it to the map. Returns
 * -EOPNOTSUPP, without a reason, if this kernel cannot run followers.
 */
int bperf_share__open(struct backend_group *group, struct pinned_map *map);

#endif
