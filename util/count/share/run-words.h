/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the events of --hist and --outliers. BPF programs read all events at both ends of each run,
 * and store the readings in an array of words. The backends decide how each event is read, and
 * which word contains its reading.
 */
#ifndef PSTAT_COUNT_RUN_WORDS_H
#define PSTAT_COUNT_RUN_WORDS_H

struct backend_group;
struct outlier_spec;

/*
 * Returns the word of @event, an index in the group; -ENOENT if the event is not read; or -EBUSY if
 * the event shares its counter with other events, so that individual runs cannot be counted
 * exactly. @arg is the argument of run_words__find().
 */
typedef int run_word_of(const void *arg, int event);

/*
 * Sets *@outliers to the word of @spec's event (@spec is NULL without --outliers), and *@hist to
 * the word of the event named in --hist. If the threshold is a percentile, sets *@hist to the same
 * word as *@outliers, because a percentile needs a histogram. The time of a run is word 0. Does not
 * change *@outliers or *@hist if its option is not given, and does not change *@hist if the event
 * named in --hist is not open. Returns 0, or -errno with the reason in group->why.
 */
int run_words__find(const struct backend_group *group, const struct outlier_spec *spec,
		    run_word_of *word_of, const void *arg, int *hist, int *outliers);

#endif
