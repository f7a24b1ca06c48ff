/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files that make a struct stat_options of the command line:
 *
 *	stat-words.c		the options there are
 *	stat-expand.c		abbreviated names of options
 *	stat-raw.c		words as they come, for `pstat profile` too
 *	stat-options.c		the order of all that follows
 *	stat-bpftool.c		the words of `bpftool prog profile`
 *	stat-refused.c		perf's options that are not here, and what to use instead; stat-options.c: its commands
 *	stat-overrides.c	which option wins where perf takes both
 *	stat-conflicts.c	what does not go together, what needs what
 *	stat-values.c		numbers and other plain values
 *	stat-perf-config.c	what perf's configuration says that the command line does not
 *	stat-targets.c		whom to count
 *	stat-events.c		what to count
 *	stat-cores.c		on which kind of core
 *	stat-cgroups.c		in which control group
 *	stat-hist.c		of which of it to show a distribution
 *	stat-outliers.c		which single runs to show
 *	stat-scope.c		what is for CPUs, what for tasks
 *
 * Each settle function returns 0 or the exit code, after telling the user what is wrong. They run in the order above, so that
 * an error is the same wherever on the line an option stood.
 */
#ifndef PSTAT_BUILTIN_STAT_RAW_H
#define PSTAT_BUILTIN_STAT_RAW_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "builtin/stat/stat-options.h"
#include "util/base/strbuf.h"

struct vendor;

/* An option that was given; its name is in stat-conflicts.c. Those that go with everything have none. */
enum given {
	GIVEN_EVENT,
	GIVEN_NULL,
	GIVEN_ALL_USER,
	GIVEN_ALL_KERNEL,
	GIVEN_COMMAND,
	GIVEN_PROG,
	GIVEN_HIST,
	GIVEN_OUTLIERS,
	GIVEN_PACKET,
	GIVEN_OUTLIER_RATE,
	GIVEN_NO_CALIBRATE,
	GIVEN_PID,
	GIVEN_TID,
	GIVEN_ALL_CPUS,
	GIVEN_CPU,
	GIVEN_CGROUP,
	GIVEN_FOR_EACH_CGROUP,
	GIVEN_BPF_COUNTERS,
	GIVEN_TOP,
	GIVEN_CGROUP_FOLLOW,
	GIVEN_PER_THREAD,
	GIVEN_NO_AGGR,
	GIVEN_PER_SOCKET,
	GIVEN_PER_DIE,
	GIVEN_PER_CLUSTER,
	GIVEN_PER_CACHE,
	GIVEN_PER_CORE,
	GIVEN_PER_NODE,
	GIVEN_PER_PROG,
	GIVEN_FOLLOW,
	GIVEN_REPEAT,
	GIVEN_TABLE,
	GIVEN_INTERVAL,
	GIVEN_INTERVAL_COUNT,
	GIVEN_INTERVAL_CLEAR,
	GIVEN_SUMMARY,
	GIVEN_NO_CSV_SUMMARY,
	GIVEN_TIMEOUT,
	GIVEN_CSV,
	GIVEN_JSON,
	GIVEN_BIG_NUM,
	GIVEN_OUTPUT,
	GIVEN_APPEND,
	GIVEN_LOG_FD,
	GIVEN_QUIET,
	GIVEN_METRICS,
	GIVEN_METRIC_ONLY,
	GIVEN_METRICS_FILE,
	GIVEN_NR
};

/* Words as they came. */
struct raw_options {
	struct stat_options *to;
	uint64_t given; /* bits by enum given */
	const char *progs, *pids, *tids, *cpus, *cache_level, *for_each_cgroup, *top, *hist;
	const char *outliers, *packet, *outlier_rate;
	const char *interval, *interval_count, *timeout, *repeat, *delay, *log_fd, *control;
	const char *events_dir;
	const char *cputype;
	char *pmu_filter;		   /* the PMU that --cputype chooses; NULL without it */
	const char *pmu_pattern;	   /* argument of --pmu-filter; NULL without it */
	bool pmu_pattern_late;		   /* --pmu-filter came after an event or a metric */
	bool cputype_late;		   /* --cputype came after an event */
	struct vendor *vendor;		   /* the vendors' event files, made by settle_events() */
	const struct argp_option *refused; /* an option of perf that is not here */
	int detailed;
	bool all_bpf;	    /* every perf event is counted through BPF; known once the events are */
	bool no_merge;	    /* the name that -A had */
	bool big_num_given; /* either way, also the default by its name */
	/* of perf's configuration: the events of stat.bpf-counter-events, NULL when it is not set, and FILE:LINE of it */
	char *bpf_events, *bpf_events_from;
	bool dashes;	   /* the command stood behind -- */
	char duration[24]; /* --timeout, made of bpftool's duration */
	/*
	 * -e, --filter and -G in the order given, as to which events the latter belong depends on it: a letter (e, f for
	 * --filter, G) and the value, NUL-terminated, in turn.
	 */
	struct strbuf events;
	int nr_events;
};

_Static_assert(GIVEN_NR <= 64, "raw_options.given has a bit for each");

/* As it was written. */
const char *given__name(const struct raw_options *raw, enum given option);
/* The first mode that tells CPUs apart, -A and so on; GIVEN_NR when none is given. */
enum given given__cpu_mode(const struct raw_options *raw);

static inline bool raw_options__has(const struct raw_options *raw, enum given option)
{
	return raw->given >> option & 1;
}

static inline void raw_options__take(struct raw_options *raw, enum given option)
{
	raw->given |= 1ULL << option;
}

static inline void raw_options__drop(struct raw_options *raw, enum given option)
{
	raw->given &= ~(1ULL << option);
}

/* Of -e (@letter e), --filter (f) or -G (G); copies @value. */
void raw_options__add_event(struct raw_options *raw, char letter, const char *value);

/* An option whose value is looked at later. */
struct raw_value {
	int key;
	enum given given; /* GIVEN_NR: goes with everything */
	const char **value;
};

/* One that is true once it is given. */
struct raw_flag {
	int key;
	enum given given; /* GIVEN_NR: goes with everything */
	bool *flag;	  /* or NULL */
};

/* A bit in the key of an option's negative form. Keys of options are smaller; argp keeps 24 bits. */
#define OPT_NEGATED 0x10000

/* False when @key is none of them. */
bool raw_options__take_value(struct raw_options *raw, const struct raw_value *values, size_t nr, int key,
			     const char *arg);
bool raw_options__take_flag(struct raw_options *raw, const struct raw_flag *flags, size_t nr, int key);
/* Undoes an option, for its negative form. Returns false if @key is not in @values. */
bool raw_options__drop_value(struct raw_options *raw, const struct raw_value *values, size_t nr, int key);
bool raw_options__drop_flag(struct raw_options *raw, const struct raw_flag *flags, size_t nr, int key);
/* For ARGP_KEY_ARG: the command, and all that stands behind it is its own. */
void raw_options__take_command(struct raw_options *raw, struct argp_state *state);
void raw_options__free(struct raw_options *raw);

/*
 * The argp parsers of `pstat stat`, without and with negative forms of options. Their input is a
 * struct raw_options.
 */
extern const struct argp stat_words_argp;
extern const struct argp stat_words_all_argp;
extern const struct argp stat_refused_argp; /* a part of it */

/*
 * Replaces abbreviated names of options in @argv, and sets @argp to the parser for these words.
 * @options owns the new words. Returns 0, or EXIT_FAILED without memory.
 */
int stat_words__expand(int argc, char **argv, struct stat_options *options, const struct argp **argp);
/* -I, --interval-count and --timeout of 0 are as if they were not given: before all that asks. */
void settle_zeros(struct raw_options *raw);
int settle_bpftool_words(struct raw_options *raw);
int settle_refused(const struct raw_options *raw);
/* Drops options that others override in perf, and prints perf's message if it has one. */
void settle_overrides(struct raw_options *raw);
int settle_conflicts(const struct raw_options *raw);
int settle_values(const struct raw_options *raw);
/* Reads @text, if it is not NULL, as a number from @min to @max; @what it is, for the message. */
int settle_number(const char *option, const char *text, uint64_t min, uint64_t max, const char *what, uint64_t *value);
int settle_perf_config(struct raw_options *raw);
int settle_targets(const struct raw_options *raw);
/* Checks --pmu-filter and looks up --cputype; to be called before events are parsed. */
int settle_cputype(struct raw_options *raw);
int settle_events(struct raw_options *raw);
/* Carries out --hybrid-merge and checks CPUs and groups; to be called after events are parsed. */
int settle_cores(const struct raw_options *raw);
int settle_hist(const struct raw_options *raw);
/* Once the event of --hist is known. */
int settle_outliers(const struct raw_options *raw);
/* Events that perf's configuration counts through BPF get evsel->bpf_counter, unless that cannot be. -v tells which and why. */
void share_events_of_config(const struct raw_options *raw);
/* For settle_events(): each returns 0 or the exit code, told. Makes room for the groups of the events from @nr_before on: none. */
int stat_cgroups__grow(struct stat_options *options, int nr_before);
void stat_cgroups__set(struct stat_options *options, int event, struct cgroup *cgroup);
/* The names of a -G; *@given: names until now. */
int stat_cgroups__add(struct stat_options *options, const char *list, int *given);
/* Opens those of --for-each-cgroup, in the order of their rows. */
int stat_cgroups__for_each(const struct raw_options *raw);
/* With --cgroup-follow, once the events of one group are known: makes places for as many groups as there is room for. */
int stat_cgroups__make_places(struct stat_options *options);
/* Once all events are known: groups that only BPF counts by need not stay open. */
void stat_cgroups__let_go(struct stat_options *options);

/* What is known only once the events are: whether it is CPUs or tasks that are counted. */
int settle_scope(const struct raw_options *raw);

#endif
