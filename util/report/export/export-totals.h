/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes totals that never decrease, although scaled counts can decrease. With --top N, also
 * chooses the N subjects that have totals of their own.
 *
 * There is a place for each entry of the list of subjects (cgroups, threads, BPF programs or
 * scopes, see subjects.h). Without subjects, there is a place for each CPU if -A is given,
 * otherwise a single place. At each reading of the counts, the increase of a place is added to its
 * own total if the place is chosen, otherwise to the remainder. So no total decreases when the
 * choice changes, and no increase is counted twice.
 */
#ifndef PSTAT_REPORT_EXPORT_EXPORT_TOTALS_H
#define PSTAT_REPORT_EXPORT_EXPORT_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct export_totals;

/* @nr_events is the number of totals of each place. @top is N; 0: all places are chosen. */
struct export_totals *export_totals__new(int nr_events, int top);
void export_totals__free(struct export_totals *totals);

/* Makes room for @nr_places. Returns 0 or -ENOMEM. */
int export_totals__grow(struct export_totals *totals, int nr_places);

/*
 * Sets the totals of @place to 0. Call this if the place has a new subject. @continues is true if
 * the counts of the new subject continue from the counts of the previous subject, and false if they
 * start at 0.
 */
void export_totals__restart(struct export_totals *totals, int place, bool continues);

/*
 * Notes how much the count of @event has increased at @place, for the next export_totals__choose().
 * @count is the current count. If @is_live is false, the place is not chosen. At each reading with
 * --top, call this for each place, then export_totals__choose(), and only then
 * export_totals__set().
 */
void export_totals__rank(struct export_totals *totals, int place, int event, uint64_t count,
			 bool is_live);
/*
 * Chooses the N places with the largest scores. A score is a weighted sum of increases. The weight
 * of an increase falls with its age: after five minutes, it is at most 1/2. @ns is the time since
 * the previous choice.
 */
void export_totals__choose(struct export_totals *totals, uint64_t ns);
bool export_totals__is_chosen(const struct export_totals *totals, int place);

/*
 * Adds the increase of a place to its total or to the remainder. @count is the count since counting
 * began. The increase is the amount by which @count exceeds the largest earlier count, or 0.
 */
void export_totals__set(struct export_totals *totals, int place, int event, uint64_t count);
/* Returns the total of a place: the sum of its increases while it was chosen. */
uint64_t export_totals__get(const struct export_totals *totals, int place, int event);
/*
 * Returns the remainder: the sum of the increases of all places while they were not chosen.
 */
uint64_t export_totals__rest(const struct export_totals *totals, int event);

#endif
