// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/run-words.h"

#include <errno.h>
#include <stddef.h>

#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/outliers.h"
#include "util/event/evsel.h"

static int place_of(const struct backend_group *group, const struct evsel *evsel)
{
	for (int i = 0; i < group->nr; i++)
		if (group->evsels[i] == evsel)
			return i;
	return -1;
}

static int refuse_shared_counter(const struct backend_group *group, const char *option,
				 const struct evsel *evsel)
{
	return reason__set(group->why, -EBUSY,
			   "%s: %s shares its counter with other events, so it cannot be counted "
			   "in each run\ncount fewer events",
			   option, evsel->name);
}

/*
 * Stores the reason why @evsel is not counted, and returns -EOPNOTSUPP. Without an error, the
 * report would wrongly say that no run exceeded the threshold.
 */
static int refuse_uncounted(const struct backend_group *group, const struct evsel *evsel, int place)
{
	const char *why = place >= 0 ? group->counts[place]->why_not : NULL;

	return reason__set(group->why, -EOPNOTSUPP,
			   "--outliers: %s cannot be counted%s%s\nname another event, or 'time', "
			   "as in --outliers 50us,time",
			   evsel->name, why ? ": " : "", why ?: "");
}

static int find_hist(const struct backend_group *group, const struct evsel *evsel,
		     run_word_of *word_of, const void *arg, int *hist)
{
	int place = place_of(group, evsel);
	int word = place < 0 ? -ENOENT : word_of(arg, place);

	if (word == -EBUSY)
		return refuse_shared_counter(group, "--hist", evsel);
	/* if the event is not open, its row in the report shows this, and -v prints the reason */
	if (word >= 0)
		*hist = word;
	return 0;
}

static int find_outliers(const struct backend_group *group, const struct evsel *evsel,
			 run_word_of *word_of, const void *arg)
{
	int place = place_of(group, evsel);
	int word = place < 0 ? -ENOENT : word_of(arg, place);

	if (word == -EBUSY)
		return refuse_shared_counter(group, "--outliers", evsel);
	return word < 0 ? refuse_uncounted(group, evsel, place) : word;
}

int run_words__find(const struct backend_group *group, const struct outlier_spec *spec,
		    run_word_of *word_of, const void *arg, int *hist, int *outliers)
{
	int err = 0, word = 0;

	if (group->runs->hist)
		err = find_hist(group, group->runs->hist->evsel, word_of, arg, hist);
	if (err || !spec)
		return err;
	if (spec->evsel)
		word = find_outliers(group, spec->evsel, word_of, arg);
	if (word < 0)
		return word;
	*outliers = word;
	/* if --hist is also given, it names the same event (stat-outliers.c checks this) */
	if (spec->by_percentile)
		*hist = word;
	return 0;
}
