/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * To count a run, BPF programs read all events at the beginning and at the end of the run. The
 * programs store the values in an array of 64-bit words. Each backend chooses which word contains
 * the value of an event. The function below finds the words of the events named in --hist and
 * --outliers.
 */
#ifndef PSTAT_COUNT_RUN_WORDS_H
#define PSTAT_COUNT_RUN_WORDS_H

struct backend_group;
struct outlier_spec;

/*
 * Returns the index of the word that contains the value of event @event of the group; -ENOENT if
 * the event is not read; or -EBUSY if the kernel may multiplex the event, so that its counts of
 * individual runs would not be exact. @arg is the argument of run_words__find().
 */
typedef int run_word_of(const void *arg, int event);

/*
 * Sets *@hist to the index of the word of the event named in --hist. Does not change *@hist if
 * --hist is not given, or if this event is not open. If @spec is not NULL, sets *@outliers to the
 * index of the word of the event @spec->evsel. If @spec->evsel is NULL, the threshold is for the
 * time of the run, and *@outliers is set to 0. If the threshold is a percentile, also sets *@hist
 * to the value of *@outliers, because pstat determines percentiles from a histogram. If word 0 does
 * not contain the time of the run, the caller must replace each index that was set to 0 for this
 * time. Returns 0, or -errno with the reason in group->why.
 */
int run_words__find(const struct backend_group *group, const struct outlier_spec *spec,
		    run_word_of *word_of, const void *arg, int *hist, int *outliers);

#endif
