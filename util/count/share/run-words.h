/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of --hist and --outliers. BPF programs read events at both ends of each run, and store
 * them as words. The backends decide how each event is read, and which word it has.
 */
#ifndef PSTAT_COUNT_RUN_WORDS_H
#define PSTAT_COUNT_RUN_WORDS_H

struct backend_group;
struct outlier_spec;

/*
 * Returns the word of @event, an index in the group; -ENOENT if it is not read; or -EBUSY if it
 * shares its counter, so that single runs cannot be counted exactly. @arg is the caller's argument
 * of the same name.
 */
typedef int run_word_of(const void *arg, int event);

/*
 * Sets *@hist and *@outliers to the words of the events of --hist and of @spec, which is NULL
 * without --outliers. If an event is not given, or if the one of --hist is not open, the word stays
 * as it is. For percentiles, @spec needs the histogram of its event. A time is word 0. Returns 0,
 * or -errno with the reason in group->why.
 */
int run_words__find(const struct backend_group *group, const struct outlier_spec *spec,
		    run_word_of *word_of, const void *arg, int *hist, int *outliers);

#endif
