/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that turn the command line into a struct stat_options:
 *
 *	builtin/options/	the options, and which of them cannot be combined: option-rows.h
 *	stat-options.c		-e, --filter and -G in the order in which they were given; calls
 *				the functions of the files below
 *	stat-bpftool.c		the arguments of `bpftool prog profile`
 *	stat-values.c		options that override others, as in perf; values other than
 *				plain text or numbers
 *	stat-perf-config.c	settings of perf's configuration
 *	stat-compare.c		--ab and --fail-over; intervals, if counts are saved or compared
 *	stat-targets.c		which tasks, CPUs or programs to count; when the events are known,
 *				checks options that work only for CPUs or only for tasks
 *	stat-points.c		--scope, --start and --stop
 *	stat-events.c		which events to count
 *	stat-cores.c		on which kind of core to count
 *	stat-cgroups.c		in which cgroups to count
 *	stat-outliers.c		the event of --hist, and the runs of --outliers
 *
 * Each int function below returns 0, or the exit code after reporting an error. After all options
 * have been read, the functions with "resolve" in their names are called in a fixed order. So the
 * order of the options does not affect which of these functions reports an error first.
 */
#ifndef PSTAT_BUILTIN_STAT_RAW_H
#define PSTAT_BUILTIN_STAT_RAW_H

#include <stdbool.h>
#include <stdint.h>

#include "builtin/options/option-words.h"
#include "builtin/stat/stat-options.h"

struct vendor;

/*
 * The order of -e, --pfm-events, --filter and -G matters: for example, --filter applies to the
 * preceding -e. --scope, --start and --stop can be given more than once. So pstat stores all these
 * options in one list (raw_options.words), whose elements are called words.
 */
enum event_word_kind {
	WORD_EVENT,
	WORD_PFM,
	WORD_FILTER,
	WORD_CGROUP,
	WORD_SCOPE,
	WORD_START,
	WORD_STOP,
};

struct event_word {
	enum event_word_kind kind;
	char *text;
};

/* The options as they were given, and data that is needed only until the options are final. */
struct raw_options {
	struct stat_options *to;
	enum option_command command;
	/*
	 * for each row of option_rows, the last value; option_no_value: given without a value;
	 * NULL: not given, or ignored
	 */
	const char *given[OPTION_ROWS_MAX];
	const char *for_each_cgroup, *hist, *outliers, *events_dir, *debug_dirs;
	const char *cputype;
	char *cputype_pmu;	/* the PMU that --cputype selects; NULL: not given */
	const char *pmu_filter; /* argument of --pmu-filter; NULL: not given */
	bool pmu_filter_late;	/* --pmu-filter came after an event or a metric */
	bool cputype_late;	/* --cputype came after an event */
	struct vendor *vendor;	/* the vendors' event files, set by stat_events__resolve() */
	/* the first option on the command line that perf has but pstat does not have */
	const struct option_row *refused;
	int detailed;
	unsigned int modes; /* the aggregation modes that were given, as bits 1 << enum aggr_mode */
	bool all_user, all_kernel, cgroup_follow;
	/*
	 * BPF reads the counters of every perf event, because they are shared, or because of
	 * --start or --stop; valid after stat_events__resolve()
	 */
	bool all_bpf;
	bool dashes;	 /* the command came after -- */
	bool has_events; /* there are events of -e or --pfm-events */
	/*
	 * `bpf_events` is stat.bpf-counter-events of perf's configuration (NULL: not set), and
	 * `bpf_events_from` is the FILE:LINE of this setting
	 */
	char *bpf_events, *bpf_events_from;
	char duration[24]; /* the value of --timeout, made from bpftool's duration */
	struct event_word *words;
	int nr_words;
	bool words_failed; /* memory ran out */
};

/* Returns the element of raw->given for @row. */
const char *raw_options__given(const struct raw_options *raw, const struct option_row *row);
/* Adds a word to raw->words, and copies @text. If memory runs out, sets raw->words_failed. */
void raw_options__add_word(struct raw_options *raw, enum event_word_kind kind, const char *text);
bool raw_options__has_word(const struct raw_options *raw, enum event_word_kind kind);
void raw_options__free(struct raw_options *raw);

/* For option-rows.c: checks of values other than plain text or numbers. */
int stat_values__check_delay(struct raw_options *raw, const char *text);
int stat_values__check_control(struct raw_options *raw, const char *text);
int stat_values__check_cache_level(struct raw_options *raw, const char *text);
int stat_values__check_log_fd(struct raw_options *raw, const char *text);
int stat_compare__check_fail_over(struct raw_options *raw, const char *text);
/* For option-rows.c: options whose order matters, or that can be given more than once. */
void stat_cores__take_pmu_filter(struct raw_options *raw, const char *text, bool on);
void stat_cores__take_cputype(struct raw_options *raw, const char *text, bool on);
void stat_metrics__take(struct raw_options *raw, const char *text, bool on);
void stat_metrics__take_only(struct raw_options *raw, const char *text, bool on);
void stat_compare__take_ab(struct raw_options *raw, const char *text, bool on);

/*
 * Handles arguments in the syntax of `bpftool prog profile`. Call this only if -b and a command
 * were given, without -- before the command.
 */
int stat_bpftool__resolve(struct raw_options *raw);
/*
 * Drops options that other options override, mostly as in perf. Prints perf's message if there is
 * one.
 */
void stat_values__resolve_overrides(struct raw_options *raw);
int stat_values__resolve(struct raw_options *raw);
/*
 * Parses @text as a number from @min to @max. If @text is NULL, does nothing. @what describes the
 * number in the error message.
 */
int stat_values__resolve_number(const char *option, const char *text, uint64_t min, uint64_t max,
				const char *what, uint64_t *value);
int stat_perf_config__resolve(struct raw_options *raw);
/* Makes pstat count the commands of --ab. */
int stat_compare__resolve_ab(struct raw_options *raw);
int stat_targets__resolve(struct raw_options *raw);
/*
 * If -b or --scope was given, and there is only one repetition and no -I, divides the repetition
 * into intervals, so that there are several values to compare. Call this only if counts are saved
 * or compared.
 */
void stat_compare__resolve_intervals(struct raw_options *raw);
/*
 * Finds the points of --scope, --start and --stop. Called by stat_targets__resolve() when the tasks
 * are known.
 */
int stat_points__resolve(struct raw_options *raw);
/*
 * Refuses --start or --stop if no event uses a counter and neither -b nor --scope was given. Call
 * this after all events are known, if --start or --stop was given.
 */
int stat_points__check_events(const struct raw_options *raw);
/* Checks --pmu-filter and finds the PMU of --cputype. Call this before events are parsed. */
int stat_cores__resolve_cputype(struct raw_options *raw);
int stat_events__resolve(struct raw_options *raw);
/*
 * Applies --hybrid-merge, warns about events that cannot be counted on all requested CPUs, and
 * splits groups whose events need different CPUs. Call this after events are parsed.
 */
int stat_cores__resolve(struct raw_options *raw);
/* Finds the event of --hist. Call this only if --hist was given. */
int stat_outliers__resolve_hist(struct raw_options *raw);
/*
 * Checks --outliers, and finds its event. Call this only if --outliers was given, after
 * stat_outliers__resolve_hist().
 */
int stat_outliers__resolve(struct raw_options *raw);
/*
 * Sets evsel->bpf_counter for each selected event that stat.bpf-counter-events in perf's
 * configuration names, if BPF can count the event. With -v, prints for each of these events whether
 * BPF counts it and, if not, the reason.
 */
void stat_perf_config__share_events(struct raw_options *raw);
/* Sets @cgroup, which may be NULL, for all events from index @first on. */
void stat_cgroups__set(struct stat_options *options, int first, const struct cgroup *cgroup);
/*
 * Gives the cgroups in @list, the argument of a -G option, to events (see stat-cgroups.c). *@given
 * is the number of names in the earlier -G options. Adds the number of names in @list to *@given.
 */
int stat_cgroups__add(struct stat_options *options, const char *list, int *given);
/*
 * Opens the cgroups of --for-each-cgroup, in the order of their rows. With --cgroup-follow, only
 * checks the list.
 */
int stat_cgroups__for_each(struct raw_options *raw);
/*
 * Closes the file descriptors of the cgroups if no event needs them. Call this when all events are
 * known.
 */
void stat_cgroups__close_unused(struct stat_options *options);

/*
 * Checks the options that depend on whether CPUs or tasks are counted, and sets
 * stat_config.needs_leaders. Call this when all events are known.
 */
int stat_targets__check(struct raw_options *raw);

#endif
