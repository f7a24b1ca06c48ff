/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the events of --hist and --outliers. BPF programs read all events at both ends of each run,
 * and store them as words. The backends decide how each event is read, and which word it is.
 */
#ifndef PSTAT_COUNT_RUN_WORDS_H
#define PSTAT_COUNT_RUN_WORDS_H

struct backend_group;
struct outlier_spec;

/*
 * Returns the word of @event, an index in the group; -ENOENT if the event is not read; or -EBUSY if
 * it shares its counter with others, so that single runs cannot be counted exactly. @arg is the
 * argument of run_words__find().
 */
typedef int run_word_of(const void *arg, int event);

/*
 * Sets *@outliers to the word of the event of @spec (NULL: without --outliers), and *@hist to the
 * word of the event of --hist. If the threshold is a percentile, it needs a histogram, so *@hist is
 * the same word. A time is word 0. A word is not changed if its option is not given, or if the
 * event of --hist is not open. Returns 0, or -errno with the reason in group->why.
 */
int run_words__find(const struct backend_group *group, const struct outlier_spec *spec,
		    run_word_of *word_of, const void *arg, int *hist, int *outliers);

#endif
