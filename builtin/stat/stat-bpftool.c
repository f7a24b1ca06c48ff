// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accepts the arguments that follow PROG in `bpftool prog profile PROG duration 10 cycles
 * instructions`. With -b, pstat accepts them in place of a command. A command that begins with
 * `duration`, or that consists only of bpftool's metrics (such as `cycles`), must be written after
 * "--".
 */
#include <stdio.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/number.h"

#define DURATION_MAX (7 * 24 * 3600) /* in seconds; the same limit as for --timeout */

static const char *const metrics[] = { "cycles",     "instructions", "l1d_loads",
				       "llc_misses", "itlb_misses",  "dtlb_misses" };

static bool is_metric(const char *word)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (!strcmp(word, metrics[i]))
			return true;
	return false;
}

static bool all_are_metrics(char *const *words)
{
	for (; *words; words++)
		if (!is_metric(*words))
			return false;
	return true;
}

static int take_duration(struct raw_options *raw, const char *text)
{
	uint64_t seconds;

	if (!text || number__parse_uint(text, 1, DURATION_MAX, &seconds)) {
		pr_err("duration %s: the time in seconds must be a whole number from 1 to %d\n"
		       "to run a command of this name, write it after --",
		       log__value(text ?: ""), DURATION_MAX);
		return EXIT_USAGE;
	}
	if (option_words__given(raw, "--timeout")) {
		pr_err("duration %s and --timeout cannot be combined: both limit the time", text);
		return EXIT_CONFLICT;
	}
	snprintf(raw->duration, sizeof(raw->duration), "%llu000", (unsigned long long)seconds);
	option_words__give(raw, "--timeout", raw->duration);
	return 0;
}

static int take_metrics(struct raw_options *raw, char *const *words)
{
	for (char *const *word = words; *word; word++) {
		if (is_metric(*word))
			continue;
		pr_err("duration: '%s' is not a metric of bpftool prog profile\n"
		       "give other events with -e, and a command after --",
		       *word);
		return EXIT_USAGE;
	}
	if (!*words)
		return 0;
	raw_options__add_word(raw, WORD_EVENT, "run_cnt");
	for (; *words; words++)
		raw_options__add_word(raw, WORD_EVENT, *words);
	return 0;
}

int stat_bpftool__resolve(struct raw_options *raw)
{
	char *const *words = raw->to->count.argv;
	int code = 0;

	if (strcmp(words[0], "duration") != 0 && !all_are_metrics(words))
		return 0;
	raw->to->count.argv = NULL;
	raw->to->argc = 0;
	if (!strcmp(words[0], "duration")) {
		code = take_duration(raw, words[1]);
		words += words[1] ? 2 : 1;
	}
	return code ?: take_metrics(raw, words);
}
