/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The leaders that this process follows: each is followed once, whatever the number of handles for its events. All calls but
 * self_unit__look() are made by one thread at a time.
 */
#ifndef PSTAT_SELF_UNIT_H
#define PSTAT_SELF_UNIT_H

struct evsel;
struct self_unit;
struct reading;

/*
 * The unit that counts @evsel, on a leader found through the map at @path or made, and in *@row which of its events that is. Put it when
 * it is not needed any more. 0 or -errno, told.
 */
int self_unit__get(const struct evsel *evsel, const char *path, struct self_unit **unit, int *row);
void self_unit__put(struct self_unit *unit);

/* See bperf_self__look(). */
int self_unit__look(const struct self_unit *unit, int slot, int row, struct reading *to);

/* In the child of a fork: none can be used any more, and none is found. */
void self_unit__let_go_all(void);

#endif
