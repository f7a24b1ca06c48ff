/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs read all events at both ends of each run, and store the readings in an array of
 * words. The backends decide how each event is read, and which word contains its reading. The
 * function below finds the words of the events named in --hist and --outliers.
 */
#ifndef PSTAT_COUNT_RUN_WORDS_H
#define PSTAT_COUNT_RUN_WORDS_H

struct backend_group;
struct outlier_spec;

/*
 * Returns the index of the word that contains the readings of event @event of the group; -ENOENT if
 * the event is not read; or -EBUSY if the event shares its counter with other events, and therefore
 * cannot be counted exactly in individual runs. @arg is the argument of run_words__find().
 */
typedef int run_word_of(const void *arg, int event);

/*
 * Sets *@hist to the index of the word of the event named in --hist. Does not change *@hist if
 * --hist is not given, or if this event is not open. If @spec is not NULL, sets *@outliers to the
 * index of the word of the event in @spec, or to 0 (the time of a run) if @spec has no event. If
 * the threshold in @spec is a percentile, also sets *@hist to this index, because a percentile
 * needs a histogram. Returns 0, or -errno with the reason in group->why.
 */
int run_words__find(const struct backend_group *group, const struct outlier_spec *spec,
		    run_word_of *word_of, const void *arg, int *hist, int *outliers);

#endif
