// SPDX-License-Identifier: GPL-2.0-only
/* The options there are, and what becomes of each word: argp hands them over one by one (parse_word), and they are noted as they come. */
#include <argp.h>

#include "builtin/stat/stat-raw.h"

/* Options without a letter. */
enum {
	OPT_INTERVAL_COUNT = 0x100,
	OPT_INTERVAL_CLEAR,
	OPT_TIMEOUT,
	OPT_FILTER,
	OPT_PFM_EVENTS,
	OPT_EVENTS_DIR,
	OPT_ALL_USER,
	OPT_ALL_KERNEL,
	OPT_FOR_EACH_CGROUP,
	OPT_BPF_COUNTERS,
	OPT_BPF_ATTR_MAP,
	OPT_TOP,
	OPT_CGROUP_FOLLOW,
	OPT_HIST,
	OPT_OUTLIERS,
	OPT_PACKET,
	OPT_OUTLIER_RATE,
	OPT_NO_CALIBRATE,
	OPT_NO_MERGE,
	OPT_PER_THREAD,
	OPT_PER_SOCKET,
	OPT_PER_DIE,
	OPT_PER_CLUSTER,
	OPT_PER_CACHE,
	OPT_PER_CORE,
	OPT_PER_NODE,
	OPT_PER_PROG,
	OPT_FOLLOW,
	OPT_PERCORE_SHOW_THREAD,
	OPT_SCALE,
	OPT_NO_SCALE,
	OPT_TABLE,
	OPT_PRE,
	OPT_POST,
	OPT_CONTROL,
	OPT_SUMMARY,
	OPT_NO_CSV_SUMMARY,
	OPT_APPEND,
	OPT_LOG_FD,
	OPT_NO_BIG_NUM,
	OPT_QUIET,
	OPT_CPUTYPE,
	OPT_PMU_FILTER,
	OPT_HYBRID_MERGE,
	OPT_RECORD_TPEBS,
	OPT_VERSION,
};

static const struct argp_option options_table[] = {
	{ NULL, 0, NULL, 0, "What to count:", 1 },
	{ "event", 'e', "EVENT[,EVENT...]", 0, "events to count; may be given more than once", 1 },
	{ "filter", OPT_FILTER, "CONDITION", 0, "count the tracepoints of the -e before it only where this holds", 1 },
	{ "pfm-events", OPT_PFM_EVENTS, "EVENT[,EVENT...]", 0,
	  "events to count, by their names in libpfm4; may be given more than once", 1 },
	{ "events-dir", OPT_EVENTS_DIR, "DIR", 0,
	  "folder of the vendors' event files; default: $PSTAT_EVENTS or the installed files", 1 },
	{ "detailed", 'd', NULL, 0, "add events of the caches; -dd, -ddd: more of them", 1 },
	{ "pmu-filter", OPT_PMU_FILTER, "PMU", 0,
	  "count events that several PMUs have only on these PMUs; before -e and -M", 1 },
	{ "cputype", OPT_CPUTYPE, "TYPE", 0, "hybrid CPUs: count only on this kind of core; before -e", 1 },
	{ "null", 'n', NULL, 0, "count no events, only time", 1 },
	{ "no-inherit", 'i', NULL, 0, "do not count the children of counted tasks", 1 },
	{ "all-user", OPT_ALL_USER, NULL, 0, "count all events in user space only", 1 },
	{ "all-kernel", OPT_ALL_KERNEL, NULL, 0, "count all events in the kernel only", 1 },

	{ "bpf-counters", OPT_BPF_COUNTERS, NULL, 0,
	  "count all events through counters that BPF reads at context switches and sessions share; modifier b: one "
	  "event",
	  1 },
	{ "bpf-attr-map", OPT_BPF_ATTR_MAP, "PATH", 0,
	  "the pinned map that they are shared through; default: /sys/fs/bpf/perf_attr_map", 1 },

	{ NULL, 0, NULL, 0, "Whom to count (without any: COMMAND, or else all CPUs until SIGINT):", 2 },
	{ "bpf-prog", 'b', "PROG[,PROG...]", 0,
	  "the runs of these BPF programs: ID, ID:FUNCTION, name:GLOB, tag:HEX, pinned:PATH, type:NAME, all", 2 },
	{ "follow", OPT_FOLLOW, NULL, 0, "with -b: also those that are loaded while it counts", 2 },
	{ "pid", 'p', "PID[,PID...]", 0, "all threads of these processes; with -b: the runs in them", 2 },
	{ "tid", 't', "TID[,TID...]", 0, "these threads; with -b: the runs in them", 2 },
	{ "no-calibrate", OPT_NO_CALIBRATE, NULL, 0, "with -b: what the counting itself costs is not taken off", 2 },
	{ "all-cpus", 'a', NULL, 0, "all that runs on any CPU", 2 },
	{ "cpu", 'C', "CPU[,CPU-CPU...]", 0, "all that runs on these CPUs", 2 },
	{ "cgroup", 'G', "NAME[,NAME...]", 0,
	  "the tasks of a control group: the first for the first event, and so on; one alone for all events before it",
	  2 },
	{ "for-each-cgroup", OPT_FOR_EACH_CGROUP, "NAME[,NAME...]|REGEX[,REGEX...]", 0,
	  "all events once for each control group", 2 },
	{ "cgroup-follow", OPT_CGROUP_FOLLOW, NULL, 0, "take up control groups that are made meanwhile", 2 },

	{ NULL, 0, NULL, 0, "A row for each (without any: one for all):", 3 },
	{ "no-aggr", 'A', NULL, 0, "CPU", 3 },
	{ "no-merge", OPT_NO_MERGE, NULL, 0, "CPU (the same)", 3 },
	{ "per-socket", OPT_PER_SOCKET, NULL, 0, "socket", 3 },
	{ "per-die", OPT_PER_DIE, NULL, 0, "die", 3 },
	{ "per-cluster", OPT_PER_CLUSTER, NULL, 0, "cluster of cores", 3 },
	{ "per-cache", OPT_PER_CACHE, "LEVEL", OPTION_ARG_OPTIONAL, "cache: L1 to L4, the last without LEVEL", 3 },
	{ "per-core", OPT_PER_CORE, NULL, 0, "core", 3 },
	{ "per-node", OPT_PER_NODE, NULL, 0, "NUMA node", 3 },
	{ "per-thread", OPT_PER_THREAD, NULL, 0, "thread", 3 },
	{ "per-prog", OPT_PER_PROG, NULL, 0, "BPF program of -b", 3 },
	{ "percore-show-thread", OPT_PERCORE_SHOW_THREAD, NULL, 0,
	  "with -A: the sum of a core, of events with the term percore, for each of its CPUs", 3 },

	{ NULL, 0, NULL, 0, "When and how often:", 4 },
	{ "repeat", 'r', "N", 0, "N runs, and their mean and deviation; 0: for ever", 4 },
	{ "sync", 'S', NULL, 0, "call sync(2) before each run", 4 },
	{ "pre", OPT_PRE, "COMMAND", 0, "run a shell command before each run", 4 },
	{ "post", OPT_POST, "COMMAND", 0, "run a shell command after each run", 4 },
	{ "delay", 'D', "MS", 0, "begin MS milliseconds after the start; -1: when told to", 4 },
	{ "control", OPT_CONTROL, "fd:IN[,OUT]|fifo:IN[,OUT]", 0,
	  "take the commands enable, disable, ping, evlist and stop from IN, and acknowledge them to OUT", 4 },
	{ "interval-print", 'I', "MS", 0, "print what was counted every MS milliseconds", 4 },
	{ "interval-count", OPT_INTERVAL_COUNT, "N", 0, "stop after N intervals", 4 },
	{ "timeout", OPT_TIMEOUT, "MS", 0, "stop after MS milliseconds; a command is ended", 4 },

	{ NULL, 0, NULL, 0, "How to show it:", 5 },
	{ "field-separator", 'x', "SEP", 0, "as values separated by SEP (\\t: tab)", 5 },
	{ "json-output", 'j', NULL, 0, "as JSON, an object a line", 5 },
	{ "output", 'o', "FILE", 0, "into FILE instead of stderr", 5 },
	{ "append", OPT_APPEND, NULL, 0, "add to the end of FILE", 5 },
	{ "log-fd", OPT_LOG_FD, "FD", 0, "into the file that is open as FD", 5 },
	{ "big-num", 'B', NULL, 0, "group the digits of large numbers (the default)", 5 },
	{ "no-big-num", OPT_NO_BIG_NUM, NULL, 0, "do not group the digits of large numbers", 5 },
	{ "scale", OPT_SCALE, NULL, 0, "scale up what was counted only part of the time (the default)", 5 },
	{ "no-scale", OPT_NO_SCALE, NULL, 0, "do not scale up what was counted only part of the time", 5 },
	{ "hist", OPT_HIST, "EVENT", OPTION_ARG_OPTIONAL,
	  "with -b: how the runs are distributed by what they cost, in counts of EVENT (the first one without it)", 5 },
	{ "outliers", OPT_OUTLIERS, "VALUE|pN[,EVENT]", 0,
	  "with -b: at once each run that counts more of EVENT (the first one, or time) than VALUE or the N-th "
	  "percentile",
	  5 },
	{ "packet", OPT_PACKET, "N", 0, "with --outliers: the first N bytes of the packet of such a run", 5 },
	{ "outlier-rate", OPT_OUTLIER_RATE, "N", 0, "with --outliers: N runs a second at most; default: 1000", 5 },
	{ "table", OPT_TABLE, NULL, 0, "with -r: the time of each run", 5 },
	{ "top", OPT_TOP, "N", 0, "the N control groups with the largest counts of the first event, the largest first",
	  5 },
	{ "hybrid-merge", OPT_HYBRID_MERGE, NULL, 0,
	  "on hybrid CPUs: one row for an event, with the sum of all kinds of core", 5 },
	{ "interval-clear", OPT_INTERVAL_CLEAR, NULL, 0, "clear the screen before each interval", 5 },
	{ "summary", OPT_SUMMARY, NULL, 0, "after the last interval what was counted in all", 5 },
	{ "no-csv-summary", OPT_NO_CSV_SUMMARY, NULL, 0, "with --summary and -x: no \"summary\" before each line", 5 },
	{ "quiet", OPT_QUIET, NULL, 0, "print neither counts nor warnings", 5 },
	{ "record-tpebs", OPT_RECORD_TPEBS, NULL, 0, "accepted for scripts; has no effect", 5 },
	{ "verbose", 'v', NULL, 0, "say more: why an event is not counted; twice: debug messages", 5 },

	{ NULL, 0, NULL, 0, "Else:", -1 },
	{ "version", OPT_VERSION, NULL, 0,
	  "print the version; with -v the libraries', with -vv what this kernel allows", -1 },
	{ 0 }
};

/*
 * The negative forms of options, as in perf: --no-all-cpus undoes -a, and --inherit undoes -i. argp
 * compares the name of each option with all others, which is slow. So these options are in a table
 * of their own, which argp gets only if a word may be one of them.
 */
#define NEGATED(name, key)                                              \
	{                                                               \
		name, (key) | OPT_NEGATED, NULL, OPTION_HIDDEN, NULL, 9 \
	}

static const struct argp_option negated_table[] = { NEGATED("inherit", 'i'),
						    NEGATED("no-pid", 'p'),
						    NEGATED("no-tid", 't'),
						    NEGATED("no-bpf-prog", 'b'),
						    NEGATED("no-bpf-counters", OPT_BPF_COUNTERS),
						    NEGATED("no-bpf-attr-map", OPT_BPF_ATTR_MAP),
						    NEGATED("no-all-cpus", 'a'),
						    NEGATED("no-verbose", 'v'),
						    NEGATED("no-repeat", 'r'),
						    NEGATED("no-table", OPT_TABLE),
						    NEGATED("no-null", 'n'),
						    NEGATED("no-detailed", 'd'),
						    NEGATED("no-sync", 'S'),
						    NEGATED("no-cpu", 'C'),
						    NEGATED("aggr", 'A'),
						    NEGATED("merge", OPT_NO_MERGE),
						    NEGATED("no-field-separator", 'x'),
						    NEGATED("no-json-output", 'j'),
						    NEGATED("no-for-each-cgroup", OPT_FOR_EACH_CGROUP),
						    NEGATED("no-output", 'o'),
						    NEGATED("no-append", OPT_APPEND),
						    NEGATED("no-log-fd", OPT_LOG_FD),
						    NEGATED("no-pre", OPT_PRE),
						    NEGATED("no-post", OPT_POST),
						    NEGATED("no-interval-print", 'I'),
						    NEGATED("no-interval-count", OPT_INTERVAL_COUNT),
						    NEGATED("no-interval-clear", OPT_INTERVAL_CLEAR),
						    NEGATED("no-timeout", OPT_TIMEOUT),
						    NEGATED("no-per-socket", OPT_PER_SOCKET),
						    NEGATED("no-per-die", OPT_PER_DIE),
						    NEGATED("no-per-cluster", OPT_PER_CLUSTER),
						    NEGATED("no-per-cache", OPT_PER_CACHE),
						    NEGATED("no-per-core", OPT_PER_CORE),
						    NEGATED("no-per-thread", OPT_PER_THREAD),
						    NEGATED("no-per-node", OPT_PER_NODE),
						    NEGATED("no-delay", 'D'),
						    NEGATED("no-all-kernel", OPT_ALL_KERNEL),
						    NEGATED("no-all-user", OPT_ALL_USER),
						    NEGATED("no-percore-show-thread", OPT_PERCORE_SHOW_THREAD),
						    NEGATED("no-summary", OPT_SUMMARY),
						    NEGATED("csv-summary", OPT_NO_CSV_SUMMARY),
						    NEGATED("no-quiet", OPT_QUIET),
						    NEGATED("no-record-tpebs", OPT_RECORD_TPEBS),
						    NEGATED("no-hybrid-merge", OPT_HYBRID_MERGE),
						    { 0 } };

/* Options that choose how counts are added up. */
static bool parse_mode(struct raw_options *raw, int key, const char *arg, bool on)
{
	static const struct {
		int key;
		enum given given;
	} modes[] = {
		{ 'A', GIVEN_NO_AGGR },
		{ OPT_NO_MERGE, GIVEN_NO_AGGR },
		{ OPT_PER_SOCKET, GIVEN_PER_SOCKET },
		{ OPT_PER_DIE, GIVEN_PER_DIE },
		{ OPT_PER_CLUSTER, GIVEN_PER_CLUSTER },
		{ OPT_PER_CACHE, GIVEN_PER_CACHE },
		{ OPT_PER_CORE, GIVEN_PER_CORE },
		{ OPT_PER_NODE, GIVEN_PER_NODE },
		{ OPT_PER_THREAD, GIVEN_PER_THREAD },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (modes[i].key != key)
			continue;
		(on ? raw_options__take : raw_options__drop)(raw, modes[i].given);
		if (key == OPT_PER_CACHE)
			raw->cache_level = arg;
		if (modes[i].given == GIVEN_NO_AGGR)
			raw->no_merge = key == OPT_NO_MERGE;
		return true;
	}
	return false;
}

static bool parse_value(struct raw_options *raw, int key, const char *arg, bool on)
{
	const struct raw_value values[] = {
		{ 'b', GIVEN_PROG, &raw->progs },
		{ 'p', GIVEN_PID, &raw->pids },
		{ 't', GIVEN_TID, &raw->tids },
		{ 'C', GIVEN_CPU, &raw->cpus },
		{ OPT_FOR_EACH_CGROUP, GIVEN_FOR_EACH_CGROUP, &raw->for_each_cgroup },
		{ OPT_BPF_ATTR_MAP, GIVEN_NR, &raw->to->count.attr_map_path },
		{ OPT_TOP, GIVEN_TOP, &raw->top },
		{ OPT_OUTLIERS, GIVEN_OUTLIERS, &raw->outliers },
		{ OPT_PACKET, GIVEN_PACKET, &raw->packet },
		{ OPT_OUTLIER_RATE, GIVEN_OUTLIER_RATE, &raw->outlier_rate },
		{ 'I', GIVEN_INTERVAL, &raw->interval },
		{ OPT_INTERVAL_COUNT, GIVEN_INTERVAL_COUNT, &raw->interval_count },
		{ OPT_TIMEOUT, GIVEN_TIMEOUT, &raw->timeout },
		{ 'r', GIVEN_REPEAT, &raw->repeat },
		{ 'D', GIVEN_NR, &raw->delay },
		{ OPT_EVENTS_DIR, GIVEN_NR, &raw->events_dir },
		{ OPT_CONTROL, GIVEN_NR, &raw->control },
		{ OPT_PRE, GIVEN_NR, &raw->to->pre },
		{ OPT_POST, GIVEN_NR, &raw->to->post },
		{ 'x', GIVEN_CSV, &raw->to->csv_separator },
		{ 'o', GIVEN_OUTPUT, &raw->to->output },
		{ OPT_LOG_FD, GIVEN_LOG_FD, &raw->log_fd },
	};

	return on ? raw_options__take_value(raw, values, sizeof(values) / sizeof(values[0]), key, arg) :
		    raw_options__drop_value(raw, values, sizeof(values) / sizeof(values[0]), key);
}

static bool parse_flag(struct raw_options *raw, int key, bool on)
{
	struct stat_options *to = raw->to;
	const struct raw_flag flags[] = {
		{ 'a', GIVEN_ALL_CPUS, &to->all_cpus },
		{ 'n', GIVEN_NULL, &to->null_run },
		{ OPT_BPF_COUNTERS, GIVEN_BPF_COUNTERS, &to->count.bpf_counters },
		{ OPT_CGROUP_FOLLOW, GIVEN_CGROUP_FOLLOW, NULL },
		{ OPT_ALL_USER, GIVEN_ALL_USER, NULL },
		{ OPT_ALL_KERNEL, GIVEN_ALL_KERNEL, NULL },
		{ OPT_PER_PROG, GIVEN_PER_PROG, &to->count.per_prog },
		{ OPT_FOLLOW, GIVEN_FOLLOW, &to->count.follow_progs },
		{ OPT_PERCORE_SHOW_THREAD, GIVEN_NR, &to->percore_show_thread },
		{ OPT_NO_CALIBRATE, GIVEN_NO_CALIBRATE, &to->count.no_calibrate },
		{ 'S', GIVEN_NR, &to->sync },
		{ 'j', GIVEN_JSON, &to->json },
		{ OPT_APPEND, GIVEN_APPEND, &to->append },
		{ OPT_TABLE, GIVEN_TABLE, &to->table },
		{ OPT_INTERVAL_CLEAR, GIVEN_INTERVAL_CLEAR, &to->interval_clear },
		{ OPT_SUMMARY, GIVEN_SUMMARY, &to->summary },
		{ OPT_QUIET, GIVEN_QUIET, &to->quiet },
		{ OPT_HYBRID_MERGE, GIVEN_NR, &to->hybrid_merge },
		{ OPT_RECORD_TPEBS, GIVEN_NR, NULL },
		{ OPT_VERSION, GIVEN_NR, &to->show_version },
	};

	return (on ? raw_options__take_flag : raw_options__drop_flag)(raw, flags, sizeof(flags) / sizeof(flags[0]),
								      key);
}

/* Takes an option, or its negative form, for which @key has OPT_NEGATED. */
static bool parse_option(struct raw_options *raw, int key, const char *arg)
{
	bool on = !(key & OPT_NEGATED);

	key &= ~OPT_NEGATED;
	return parse_mode(raw, key, arg, on) || parse_value(raw, key, arg, on) || parse_flag(raw, key, on);
}

static error_t parse_negated(int key, char *arg, struct argp_state *state)
{
	struct raw_options *raw = state->input;

	if (!(key & OPT_NEGATED))
		return ARGP_ERR_UNKNOWN;
	if (key == ('r' | OPT_NEGATED)) /* as in perf, -r 0: repeat forever */
		return parse_option(raw, 'r', "0") ? 0 : ARGP_ERR_UNKNOWN;
	if (parse_option(raw, key, arg))
		return 0;
	switch (key & ~OPT_NEGATED) {
	case 'd':
		raw->detailed = 0;
		break;
	case 'i':
		raw->to->count.inherit = true;
		break;
	case OPT_NO_CSV_SUMMARY:
		raw_options__drop(raw, GIVEN_NO_CSV_SUMMARY);
		raw->to->csv_summary = true;
		break;
	case 'v':
		raw->to->verbose = 0;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Options that choose PMUs apply to the events after them, so the order matters. */
static void take_pmus(struct raw_options *raw, int key, char *arg)
{
	bool late = raw_options__has(raw, GIVEN_EVENT);

	if (key == OPT_CPUTYPE) {
		raw->cputype = arg;
		raw->cputype_late |= late;
	} else {
		raw->pmu_pattern = arg;
		raw->pmu_pattern_late |= late || raw->to->metrics.given;
	}
}

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
	struct raw_options *raw = state->input;

	if (parse_option(raw, key, arg))
		return 0;
	switch (key) {
	case 'e':
	case 'G':
		raw_options__add_event(raw, (char)key, arg);
		break;
	case OPT_FILTER:
		raw_options__add_event(raw, 'f', arg);
		break;
	case OPT_PFM_EVENTS:
		raw_options__add_event(raw, 'p', arg);
		break;
	case 'd':
		raw->detailed++;
		break;
	case 'i':
		raw->to->count.inherit = false;
		break;
	case OPT_PMU_FILTER:
	case OPT_CPUTYPE:
		take_pmus(raw, key, arg);
		break;
	case OPT_HIST:
		raw_options__take(raw, GIVEN_HIST);
		raw->hist = arg ?: "";
		break;
	case OPT_SCALE:
	case OPT_NO_SCALE:
		raw->to->no_scale = key == OPT_NO_SCALE;
		break;
	case 'B':
	case OPT_NO_BIG_NUM:
		(key == 'B' ? raw_options__take : raw_options__drop)(raw, GIVEN_BIG_NUM);
		raw->to->big_num = key == 'B';
		raw->big_num_given = true;
		break;
	case OPT_NO_CSV_SUMMARY:
		raw_options__take(raw, GIVEN_NO_CSV_SUMMARY);
		raw->to->csv_summary = false;
		break;
	case 'v':
		raw->to->verbose++;
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &raw->to->metrics;
		state->child_inputs[1] = raw;
		break;
	case ARGP_KEY_ARG:
		raw_options__take_command(raw, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_any_word(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_INIT)
		state->child_inputs[2] = state->input;
	return parse_word(key, arg, state);
}

static const struct argp negated_argp = { .options = negated_table, .parser = parse_negated };

/* Their inputs are given by ARGP_KEY_INIT, in this order. */
static const struct argp_child children[] = { { &stat_metrics_argp, 0, "Metrics:", 4 },
					      { &stat_refused_argp, 0, NULL, 0 },
					      { 0 } };
static const struct argp_child all_children[] = {
	{ &stat_metrics_argp, 0, "Metrics:", 4 },
	{ &stat_refused_argp, 0, NULL, 0 },
	{ &negated_argp, 0, NULL, 0 },
	{ 0 },
};

static const char args_doc[] = "[--] [COMMAND [ARG...]]";
static const char doc[] =
	"Count perf events: of a command, of tasks, of CPUs, or inside BPF programs.\v"
	"With -b the counts are those of the time between the start and the end of each run of the programs; "
	"a COMMAND then only says for how long. Example:\n\n  pstat -b 42 -I 1000 -e run_cnt,cycles,instructions\n\n"
	"Other commands, each with its own --help: pstat profile (where the time goes), pstat list (events), "
	"pstat progs (BPF programs).\n";

const struct argp stat_words_argp = { options_table, parse_word, args_doc, doc, children, NULL, NULL };
const struct argp stat_words_all_argp = { options_table, parse_any_word, args_doc, doc, all_children, NULL, NULL };
