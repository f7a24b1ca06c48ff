/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The leaders that this process follows. Each is followed once, regardless of the number of handles
 * for its events. Only one thread at a time may call these functions, except self_unit__look().
 */
#ifndef PSTAT_SELF_UNIT_H
#define PSTAT_SELF_UNIT_H

struct evsel;
struct self_unit;
struct reading;

/*
 * Finds or makes a leader for @evsel through the map at @path, and follows it. *@row is the event's
 * row in the leader. Release *@unit with self_unit__put(). Returns 0, or -errno after logging the
 * reason.
 */
int self_unit__get(const struct evsel *evsel, const char *path, struct self_unit **unit, int *row);
void self_unit__put(struct self_unit *unit);

/* See bperf_self__look(). */
int self_unit__look(const struct self_unit *unit, int slot, int row, struct reading *to);

/* Drops all units in the child of a fork. Handles of the parent cannot be used there. */
void self_unit__let_go_all(void);

#endif
