/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds or makes the leaders of the events of a session, through the pinned map, and follows them. */
#ifndef PSTAT_COUNT_BPERF_SHARE_H
#define PSTAT_COUNT_BPERF_SHARE_H

struct attr_map;
struct backend_group;
struct strbuf;

/* 0, or -EPERM: this user may not, or -EOPNOTSUPP: the kernel lets nobody, with the reason in @why_not. */
int bperf_share__probe(struct strbuf *why_not);

/*
 * Gives every event of @group (of backend_bperf) that can be counted a unit with a leader: those that the map has are joined, for the others one
 * is made and put into the map. Returns -EOPNOTSUPP, without a reason, if this kernel cannot run followers.
 */
int bperf_share__open(struct backend_group *group, struct attr_map *map);

#endif
