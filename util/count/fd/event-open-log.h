/* SPDX-License-Identifier: GPL-2.0-only */
/* -vv: each call of perf_event_open(2), as perf stat -vv shows it. */
#ifndef PSTAT_COUNT_EVENT_OPEN_LOG_H
#define PSTAT_COUNT_EVENT_OPEN_LOG_H

struct event_place;
union perf_attr;

/*
 * With -vv, prints to stderr: the fields of @attr that are not 0, the place, and the resulting fd
 * or -errno.
 */
void event_open_log__tell(const union perf_attr *attr, const struct event_place *place, int fd);

#endif
