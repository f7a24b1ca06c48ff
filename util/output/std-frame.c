// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/std-frame.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/output/format.h"

void std_frame__add_range(struct output_state *state, double min, double max, int decimals)
{
	strbuf__addf(&state->text,
		     state->config.big_num ? "  [ %'.*f .. %'.*f ]" : "  [ %.*f .. %.*f ]",
		     decimals, min, decimals, max);
}

static void add_argv(struct output_state *state, const char *const *argv)
{
	for (int i = 0; argv[i]; i++) {
		strbuf__adds(&state->text, i ? " " : "");
		strbuf__add_clean(&state->text, argv[i]);
	}
}

void std_frame__head(struct output_state *state, const struct output_head *head)
{
	static const char *const words[TARGET_KIND_NR] = {
		[TARGET_COMMAND] = "'",		 [TARGET_PROCESS] = "process id '",
		[TARGET_THREAD] = "thread id '", [TARGET_SYSTEM] = "'system wide",
		[TARGET_CPUS] = "'CPU(s) ",	 [TARGET_BPF_PROG] = "'BPF program(s) ",
		[TARGET_SCOPE] = "'scope(s) ",
	};

	strbuf__addf(&state->text, "\n Performance counter stats for %s", words[head->kind]);
	if (head->kind == TARGET_COMMAND)
		add_argv(state, head->argv);
	else if (head->kind != TARGET_SYSTEM)
		strbuf__add_clean(&state->text, head->text);
	strbuf__addc(&state->text, '\'');
	if (state->config.runs > 1 && head->runs_done)
		strbuf__addf(&state->text, " (%d of %d runs)", head->runs_done, state->config.runs);
	else if (state->config.runs > 1)
		strbuf__addf(&state->text, " (%d runs)", state->config.runs);
	strbuf__adds(&state->text, ":\n\n");
}

/*
 * Returns the number of decimals of the elapsed time: at least two, and enough for three
 * significant digits of the deviation. Returns nine if there is no deviation.
 */
static int decimals_for(double deviation)
{
	int digits = 2;

	if (deviation <= 0.0)
		return 9;
	for (; deviation < 1.0; deviation *= 10.0)
		digits++;
	return digits;
}

/*
 * Returns the length of the bar of a repetition that took @run seconds: 1, plus 1 for each full 5 %
 * of @run by which @run differs from @mean.
 */
static int bar_length(double run, double mean)
{
	return run > 0.0 ? 1 + abs((int)(100.0 * (run - mean) / run) / 5) : 1;
}

/* Adds the table of --table, and the heading of the final result below it. */
static void add_table(struct output_state *state, const struct output_foot *foot, int decimals)
{
	int figure = snprintf(NULL, 0, "%.*f", decimals, foot->elapsed);
	int indent = 1 + (figure < 17 ? 17 - figure : 0);

	strbuf__addf(&state->text, "%*s# Table of individual measurements:\n", indent, "");
	for (int i = 0; i < foot->nr_runs; i++) {
		strbuf__addf(&state->text, " %17.*f (%+.*f) ", decimals, foot->runs[i], decimals,
			     foot->runs[i] - foot->elapsed);
		for (int n = bar_length(foot->runs[i], foot->elapsed); n; n--)
			strbuf__addc(&state->text, '#');
		strbuf__addc(&state->text, '\n');
	}
	strbuf__addf(&state->text, "\n%*s# Final result:\n", indent, "");
}

static void add_mean(struct output_state *state, const struct output_foot *foot)
{
	int decimals = decimals_for(foot->deviation);

	if (foot->runs)
		add_table(state, foot, decimals);

	strbuf__addf(&state->text, " %17.*f +- %.*f seconds time elapsed", decimals, foot->elapsed,
		     decimals, foot->deviation);
	if (foot->deviation != 0.0 && foot->elapsed != 0.0)
		strbuf__addf(&state->text, "  ( +-%6.2f%% )",
			     100.0 * foot->deviation / foot->elapsed);
	if (state->config.range && foot->longest > foot->shortest)
		std_frame__add_range(state, foot->shortest, foot->longest, decimals);
}

void std_frame__foot(struct output_state *state, const struct output_foot *foot)
{
	if (!state->config.null_run)
		strbuf__addc(&state->text, '\n');
	if (state->config.runs > 1)
		add_mean(state, foot);
	else
		strbuf__addf(&state->text, " %17.9f seconds time elapsed", foot->elapsed);
	if (state->config.runs == 1 && foot->has_rusage) {
		strbuf__addf(&state->text, "\n\n %17.9f seconds user\n", foot->user);
		strbuf__addf(&state->text, " %17.9f seconds sys\n", foot->sys);
	}
	strbuf__adds(&state->text, "\n\n");
}
