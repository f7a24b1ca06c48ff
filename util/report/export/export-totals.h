/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals that never decrease, although scaled counts can. With --top N, also the choice of the N
 * subjects that have rows of their own.
 *
 * A place is a subject, or a CPU if there are no subjects. If the place is chosen, the increase at
 * each reading is added to its total, otherwise to the remainder. So no total decreases when the
 * choice changes, nothing is counted twice, and the increases of all rows always add up to the
 * increase in everything.
 */
#ifndef PSTAT_REPORT_EXPORT_EXPORT_TOTALS_H
#define PSTAT_REPORT_EXPORT_EXPORT_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct export_totals;

/* @nr_events: the number of totals of each place. @top: see above; 0: all places are chosen. */
struct export_totals *export_totals__new(int nr_events, int top);
void export_totals__free(struct export_totals *totals);

/* Makes room for @nr_places. Returns 0 or -ENOMEM. */
int export_totals__grow(struct export_totals *totals, int nr_places);

/*
 * Another subject has the place now, and its total starts at 0. @continues: the counts of the place
 * do not start at 0, but continue from those of the previous subject.
 */
void export_totals__restart(struct export_totals *totals, int place, bool continues);

/*
 * Call this with --top for each place, then export_totals__choose(). @count is the current count of
 * the event by which the places are compared. A place that is not live is never chosen.
 */
void export_totals__rank(struct export_totals *totals, int place, int event, uint64_t count,
			 bool is_live);
/*
 * Chooses the places with the largest counts. Older counts have less weight: after about five
 * minutes, half. @ns is the time since the last choice.
 */
void export_totals__choose(struct export_totals *totals, uint64_t ns);
bool export_totals__is_chosen(const struct export_totals *totals, int place);

/* Sets the current count of a place since the start. */
void export_totals__set(struct export_totals *totals, int place, int event, uint64_t count);
/* Returns the total of a place: the increases of all readings at which it was chosen. */
uint64_t export_totals__get(const struct export_totals *totals, int place, int event);
/* Returns the total of all increases of places that were not chosen at that time. */
uint64_t export_totals__rest(const struct export_totals *totals, int event);

#endif
