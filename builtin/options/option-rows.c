// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows. Help is in alphabetical order, whatever their order here is. If several options are
 * wrong, the first row is reported.
 */
#include "builtin/options/option-rows.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "builtin/profile/profile-options.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/clock.h"

#define WEEK_MS (7ULL * 24 * 3600 * 1000)
#define PERIOD_MAX (1ULL << 62)
#define MAP_SIZE_MAX (1 << 24)
#define STACK_MAP_SIZE_MAX (1 << 20)

/* ---- the words of the table ---- */

/* The structs that fields are in; a struct profile_options begins with a struct stat_options. */
#define STRUCT_STAT struct stat_options
#define STRUCT_PROFILE struct profile_options
#define STRUCT_RAW struct raw_options
enum { IN_STAT, IN_PROFILE, IN_RAW };

_Static_assert(!offsetof(struct profile_options, stat), "IN_STAT and IN_PROFILE have one base");

/* clang-format off */
#define FIELD(in, field) (((STRUCT_##in *)0)->field)
#define AT(in, field) \
	.in_raw = IN_##in == IN_RAW, \
	.at = offsetof(STRUCT_##in, field), .size = sizeof(FIELD(in, field))
/* Is 0; comparing pointers to different types is a warning. */
#define WRONG_TYPE(type, in, field) (0 * sizeof((type *)0 == &FIELD(in, field)))
#define TYPED(type, in, field) AT(in, field) + WRONG_TYPE(type, in, field)

#define NOTHING { .kind = OPTION_NOTHING }
#define FLAG(in, field) { .kind = OPTION_BOOL, .which = true, TYPED(bool, in, field) }
#define UNFLAG(in, field) { .kind = OPTION_BOOL, .which = false, TYPED(bool, in, field) }
#define COUNT(in, field) { .kind = OPTION_COUNT, TYPED(int, in, field) }
#define TEXT(in, field) { .kind = OPTION_TEXT, TYPED(const char *, in, field) }
#define NUMBER(in, field, low, high, text) \
	{ .kind = OPTION_NUMBER, AT(in, field), .min = low, .max = high, .unit = 1, .what = text }
#define MS(in, field, text) \
	{ .kind = OPTION_NUMBER, AT(in, field), .max = WEEK_MS, .unit = NSEC_PER_MSEC, \
	  .what = text }
#define CHECKED(function) { .kind = OPTION_CHECKED, .check = function }
#define MODE(mode) { .kind = OPTION_MODE, .which = mode }
#define WORD(word) { .kind = OPTION_WORD, .which = word }
#define CALL(function) { .kind = OPTION_CALL, .take = function }
#define REFUSED { .kind = OPTION_REFUSED }

#define HELP(text) .help = text
/* In `pstat profile` too, with the same help, or with another. */
#define SAME .profile = same
#define PROFILE(text) .profile = text
static const char same[] = "";

#define RULES(...) .rules = (const struct option_rule[]){ __VA_ARGS__, { 0 } }
#define NOT_WITH(others, why) { RULE_CONFLICT, others, why, false }
#define NEEDS(others, why) { RULE_NEED, others, why, false }
#define IN_PROFILE_ONLY(kind, others, why) { kind, others, why, true }
#define NO_STACKS(name) \
	{ RULE_CONFLICT_WHY, "-b", \
	  name " is for stacks, which are not taken inside BPF programs: leave it or -b out", \
	  false }
/* clang-format on */

/* ---- options that do more than set a field ---- */

static void take_metrics(struct raw_options *raw, const char *text, bool on)
{
	struct stat_metrics *metrics = &raw->to->metrics;

	(void)on;
	strbuf__addf(&metrics->list, "%s%s", metrics->given ? "," : "", text);
	metrics->given = true;
}

static void take_metric_only(struct raw_options *raw, const char *text, bool on)
{
	(void)text;
	raw->to->metrics.only = on;
	raw->to->metrics.only_given = true;
}

/* Options that choose PMUs apply to the events after them, so the order matters. */
static void take_pmu_filter(struct raw_options *raw, const char *text, bool on)
{
	(void)on;
	raw->pmu_filter = text;
	raw->pmu_filter_late |= raw->has_events || raw->to->metrics.given;
}

static void take_cputype(struct raw_options *raw, const char *text, bool on)
{
	(void)on;
	raw->cputype = text;
	raw->cputype_late |= raw->has_events;
}

/* ---- the table ---- */

#define CPU_LIST "CPU[,CPU-CPU...]"
#define CGROUP_HELP                                                                              \
	"the tasks of a control group: the first for the first event, and so on; one alone for " \
	"all events before it"
#define PROG_KINDS "ID, ID:FUNCTION, name:GLOB, tag:HEX, pinned:PATH, type:NAME, all"

/* clang-format off */
const struct option_row option_rows[] = {
	{ "interval-print", 'I', WHEN, NEGATABLE | ZERO_IS_NONE, "MS",
	  MS(STAT, count.interval_ns, "the interval in milliseconds"),
	  HELP("print what was counted every MS milliseconds"),
	  PROFILE("print what was sampled every MS milliseconds") },
	{ "timeout", 0, WHEN, NEGATABLE | ZERO_IS_NONE, "MS",
	  MS(STAT, count.timeout_ns, "the time in milliseconds"),
	  HELP("stop after MS milliseconds; a command is ended"), SAME },
	{ "interval-count", 0, WHEN, NEGATABLE | ZERO_IS_NONE, "N",
	  NUMBER(STAT, count.interval_count, 0, UINT32_MAX, "the number of intervals"),
	  HELP("stop after N intervals"), SAME,
	  RULES(NEEDS("-I", "--interval-count counts the intervals of -I: give -I too")) },
	{ "repeat", 'r', WHEN, NEGATABLE | NO_IS_ZERO, "N",
	  NUMBER(STAT, runs, 0, INT_MAX, "the number of runs"),
	  HELP("N runs, and their mean and deviation; 0: for ever") },
	{ "sync", 'S', WHEN, NEGATABLE, NULL, FLAG(STAT, sync),
	  HELP("call sync(2) before each run") },
	{ "pre", 0, WHEN, NEGATABLE, "COMMAND", TEXT(STAT, pre),
	  HELP("run a shell command before each run") },
	{ "post", 0, WHEN, NEGATABLE, "COMMAND", TEXT(STAT, post),
	  HELP("run a shell command after each run") },

	{ "no-aggr", 'A', ROWS, NEGATABLE, NULL, MODE(AGGR_NONE), HELP("CPU") },
	{ "no-merge", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_NONE), HELP("CPU (the same)") },
	{ "per-socket", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_SOCKET), HELP("socket") },
	{ "per-die", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_DIE), HELP("die") },
	{ "per-cluster", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_CLUSTER), HELP("cluster of cores") },
	{ "per-cache", 0, ROWS, NEGATABLE | OPTIONAL, "LEVEL",
	  { .kind = OPTION_MODE, .which = AGGR_CACHE, .check = check_cache_level },
	  HELP("cache: L1 to L4, the last without LEVEL") },
	{ "per-core", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_CORE), HELP("core") },
	{ "per-node", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_NODE), HELP("NUMA node") },
	{ "per-thread", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_THREAD), HELP("thread"),
	  RULES(NOT_WITH("-b -C -G --for-each-cgroup",
			 "threads are counted by themselves, on whichever CPU they run")) },
	{ "per-prog", 0, ROWS, OWN, NULL, FLAG(STAT, count.per_prog), HELP("BPF program of -b"),
	  RULES(NEEDS("-b", "--per-prog tells the programs of -b apart: give -b too")) },
	{ "percore-show-thread", 0, ROWS, NEGATABLE, NULL, FLAG(STAT, percore_show_thread),
	  HELP("with -A: the sum of a core, of events with the term percore, for each of its "
	       "CPUs") },

	{ "bpf-prog", 'b', WHOM, NEGATABLE, "PROG[,PROG...]", TEXT(STAT, prog_text),
	  HELP("the runs of these BPF programs: " PROG_KINDS),
	  PROFILE("in these BPF programs and in what they call: " PROG_KINDS) },
	{ "follow", 0, WHOM, OWN, NULL, FLAG(STAT, count.follow_progs),
	  HELP("with -b: also those that are loaded while it counts"),
	  RULES(NEEDS("-b", "--follow looks for programs that -b means: give -b too")) },
	{ "pid", 'p', WHOM, NEGATABLE, "PID[,PID...]", TEXT(STAT, pid_text),
	  HELP("all threads of these processes; with -b: the runs in them"),
	  PROFILE("all threads of these processes") },
	{ "tid", 't', WHOM, NEGATABLE, "TID[,TID...]", TEXT(STAT, tid_text),
	  HELP("these threads; with -b: the runs in them"), PROFILE("these threads") },
	{ "all-cpus", 'a', WHOM, NEGATABLE, NULL, FLAG(STAT, all_cpus),
	  HELP("all that runs on any CPU"), SAME },
	{ "cpu", 'C', WHOM, NEGATABLE, CPU_LIST, TEXT(STAT, cpu_text),
	  HELP("all that runs on these CPUs"), SAME },
	{ "cgroup", 'G', WHOM, 0, "NAME[,NAME...]", WORD(WORD_CGROUP), HELP(CGROUP_HELP), SAME,
	  RULES(NOT_WITH("-p -t", "count the tasks of a control group or those of a list"),
		NOT_WITH("--for-each-cgroup",
			 "-G gives each event one control group, the other each event all of "
			 "them")) },
	{ "for-each-cgroup", 0, WHOM, NEGATABLE, "NAME[,NAME...]|REGEX[,REGEX...]",
	  TEXT(RAW, for_each_cgroup),
	  HELP("all events once for each control group"),
	  RULES(NOT_WITH("-p -t", "count the tasks of control groups or those of a list")) },
	{ "bpf-counters", 0, WHAT, NEGATABLE, NULL, FLAG(STAT, count.bpf_counters),
	  HELP("count all events through counters that BPF reads at context switches and sessions "
	       "share; modifier b: one event"),
	  RULES(NOT_WITH("-G", "counters that BPF shares are not told apart by control group: "
			       "give --for-each-cgroup")) },
	{ "bpf-attr-map", 0, WHAT, NEGATABLE, "PATH", TEXT(STAT, count.attr_map_path),
	  HELP("the pinned map that they are shared through; default: /sys/fs/bpf/perf_attr_map") },
	{ "table", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, table),
	  HELP("with -r: the time of each run"),
	  RULES(NEEDS("-r", "--table lists the runs of -r: give -r too")) },
	{ "top", 0, SHOW, OWN, "N", NUMBER(STAT, top, 1, INT_MAX, "the number of control groups"),
	  HELP("the N control groups with the largest counts of the first event, the largest "
	       "first"),
	  RULES(NEEDS("--for-each-cgroup",
		      "--top chooses among the control groups of --for-each-cgroup: give that "
		      "too")) },
	{ "cgroup-follow", 0, WHOM, OWN, NULL, FLAG(RAW, cgroup_follow),
	  HELP("take up control groups that are made meanwhile"),
	  RULES(NOT_WITH("-b", "it needs --bpf-counters, which -b overrides"),
		NOT_WITH("-r", "groups that come and go are not the same in each run, and have no "
			       "mean"),
		NEEDS("--for-each-cgroup",
		      "--cgroup-follow is about the control groups of --for-each-cgroup: give "
		      "that too"),
		NEEDS("--bpf-counters",
		      "--cgroup-follow is for counting in BPF: give --bpf-counters too")) },

	{ "delay", 'D', WHEN, NEGATABLE, "MS", CHECKED(check_delay),
	  HELP("begin MS milliseconds after the start; -1: when told to") },
	{ "control", 0, WHEN, 0, "fd:IN[,OUT]|fifo:IN[,OUT]", CHECKED(check_control),
	  HELP("take the commands enable, disable, ping, evlist and stop from IN, and acknowledge "
	       "them to OUT"), SAME },

	{ "event", 'e', WHAT, 0, "EVENT[,EVENT...]", WORD(WORD_EVENT),
	  HELP("events to count; may be given more than once"),
	  PROFILE("events to sample; default: cycles, or cpu-clock where there are none") },
	{ "filter", 0, WHAT, 0, "CONDITION", WORD(WORD_FILTER),
	  HELP("count the tracepoints of the -e before it only where this holds") },
	{ "pfm-events", 0, WHAT, 0, "EVENT[,EVENT...]", WORD(WORD_PFM),
	  HELP("events to count, by their names in libpfm4; may be given more than once") },
	{ "events-dir", 0, WHAT, OWN, "DIR", TEXT(RAW, events_dir),
	  HELP("folder of the vendors' event files; default: $PSTAT_EVENTS or the installed "
	       "files"), SAME },
	{ "detailed", 'd', WHAT, NEGATABLE, NULL, COUNT(RAW, detailed),
	  HELP("add events of the caches; -dd, -ddd: more of them") },
	{ "pmu-filter", 0, WHAT, 0, "PMU", CALL(take_pmu_filter),
	  HELP("count events that several PMUs have only on these PMUs; before -e and -M") },
	{ "cputype", 0, WHAT, 0, "TYPE", CALL(take_cputype),
	  HELP("hybrid CPUs: count only on this kind of core; before -e") },
	{ "freq", 'F', WHAT, 0, "HZ",
	  NUMBER(PROFILE, sampling.freq, 1, UINT32_MAX, "the number of samples a second"),
	  PROFILE("so many samples a second; default: 997"),
	  RULES(NOT_WITH("-c", "sample by time or by count")) },
	{ "count", 'c', WHAT, 0, "PERIOD",
	  NUMBER(PROFILE, sampling.period, 1, PERIOD_MAX, "the count between samples"),
	  PROFILE("a sample each time that the event has counted so much") },
	{ "all-user", 0, WHAT, NEGATABLE, NULL, FLAG(RAW, all_user),
	  HELP("count all events in user space only"),
	  RULES(NOT_WITH("--all-kernel", "leave both out to count both")) },
	{ "all-kernel", 0, WHAT, NEGATABLE, NULL, FLAG(RAW, all_kernel),
	  HELP("count all events in the kernel only") },
	{ "null", 'n', WHAT, NEGATABLE, NULL, FLAG(STAT, null_run),
	  HELP("count no events, only time"),
	  RULES(NOT_WITH("--hist --outliers --per-prog --follow", "-n counts no events")) },
	{ "no-inherit", 'i', WHAT, NEGATABLE, NULL, UNFLAG(STAT, count.inherit),
	  HELP("do not count the children of counted tasks") },

	{ "hist", 0, SHOW, OWN | OPTIONAL, "EVENT", TEXT(RAW, hist),
	  HELP("with -b: how the runs are distributed by what they cost, in counts of EVENT (the "
	       "first one without it)"),
	  RULES(NOT_WITH("--metric-only",
			 "--metric-only shows no counts, and so no distribution of them"),
		NEEDS("-b", "--hist shows how the runs of BPF programs differ: give -b too")) },
	{ "outliers", 0, SHOW, OWN, "VALUE|pN[,EVENT]", TEXT(RAW, outliers),
	  HELP("with -b: at once each run that counts more of EVENT (the first one, or time) than "
	       "VALUE or the N-th percentile"),
	  RULES(NOT_WITH("--interval-clear", "what was streamed would be cleared with the screen"),
		NOT_WITH("--quiet", "--quiet writes nothing"),
		NEEDS("-b", "--outliers shows single runs of BPF programs: give -b too")) },
	{ "packet", 0, SHOW, OWN, "N",
	  NUMBER(STAT, outliers.packet, 1, OUTLIER_PACKET_MAX, "the number of bytes"),
	  HELP("with --outliers: the first N bytes of the packet of such a run"),
	  RULES(NEEDS("--outliers", "--packet is about the runs of --outliers: give that too")) },
	{ "outlier-rate", 0, SHOW, OWN, "N",
	  NUMBER(STAT, outliers.rate, 1, OUTLIER_RATE_MAX, "the number of runs a second"),
	  HELP("with --outliers: N runs a second at most; default: 1000"),
	  RULES(NEEDS("--outliers",
		      "--outlier-rate is about the runs of --outliers: give that too")) },
	{ "no-calibrate", 0, WHOM, OWN, NULL, FLAG(STAT, count.no_calibrate),
	  HELP("with -b: what the counting itself costs is not taken off"),
	  RULES(NEEDS("-b",
		      "--no-calibrate is about what counting BPF programs costs: give -b too")) },
	{ "annotate", 0, SHOW, 0, NULL, FLAG(PROFILE, annotate),
	  PROFILE("with -b: the source of the programs, or else their instructions"),
	  RULES(NEEDS("-b", "--annotate shows the code of BPF programs: give -b too")) },
	{ "folded", 0, SHOW, 0, NULL, FLAG(PROFILE, folded),
	  PROFILE("stack by stack, as flame-graph tools read it: comm;frame;...;frame SAMPLES"),
	  RULES(NO_STACKS("--folded")) },
	{ "lines", 0, SHOW, 0, NULL, FLAG(PROFILE, lines),
	  PROFILE("by source line, where users' programs have line information"),
	  RULES(NO_STACKS("--lines")) },
	{ "map-size", 0, SHOW, 0, "N",
	  NUMBER(PROFILE, sampling.map_size, 1, MAP_SIZE_MAX, "the number of addresses"),
	  PROFILE("room for so many addresses, or processes with their stacks; default: 65536") },
	{ "stack-map-size", 0, SHOW, 0, "N",
	  NUMBER(PROFILE, sampling.stack_map_size, 1, STACK_MAP_SIZE_MAX, "the number of stacks"),
	  PROFILE("room for so many stacks of the kernel, and as many of users' programs; "
		  "default: 8192"),
	  RULES(NO_STACKS("--stack-map-size")) },
	{ "debug-dir", 0, SHOW, 0, "DIR[:DIR...]", TEXT(RAW, debug_dirs),
	  PROFILE("look for debug files (.build-id/xx/yyyy.debug) there too, before "
		  "/usr/lib/debug"),
	  RULES(NO_STACKS("--debug-dir")) },

	{ "field-separator", 'x', SHOW, NEGATABLE, "SEP", TEXT(STAT, csv_separator),
	  HELP("as values separated by SEP (\\t: tab)"), SAME,
	  RULES(IN_PROFILE_ONLY(RULE_CONFLICT, "-j", "choose one format")) },
	{ "json-output", 'j', SHOW, NEGATABLE, NULL, FLAG(STAT, json),
	  HELP("as JSON, an object a line"), SAME },
	{ "big-num", 'B', SHOW, 0, NULL, FLAG(STAT, big_num),
	  HELP("group the digits of large numbers (the default)"),
	  RULES(NOT_WITH("-x", "figures for programs are not grouped")) },
	{ "no-big-num", 0, SHOW, 0, NULL, UNFLAG(STAT, big_num),
	  HELP("do not group the digits of large numbers") },
	{ "scale", 0, SHOW, 0, NULL, UNFLAG(STAT, no_scale),
	  HELP("scale up what was counted only part of the time (the default)") },
	{ "no-scale", 0, SHOW, 0, NULL, FLAG(STAT, no_scale),
	  HELP("do not scale up what was counted only part of the time") },
	{ "hybrid-merge", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, hybrid_merge),
	  HELP("on hybrid CPUs: one row for an event, with the sum of all kinds of core") },
	{ "interval-clear", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, interval_clear),
	  HELP("clear the screen before each interval"),
	  RULES(NOT_WITH("-o", "it clears the screen of a terminal")) },
	{ "output", 'o', SHOW, NEGATABLE, "FILE", TEXT(STAT, output),
	  HELP("into FILE instead of stderr"),
	  PROFILE("into FILE instead of stdout"),
	  RULES(NOT_WITH("--log-fd", "choose one place to write to")) },
	{ "append", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, append),
	  HELP("add to the end of FILE"), SAME,
	  RULES(IN_PROFILE_ONLY(RULE_NEED, "-o", "--append adds to the file of -o: give -o too")) },
	{ "log-fd", 0, SHOW, NEGATABLE, "FD", CHECKED(check_log_fd),
	  HELP("into the file that is open as FD") },
	{ "summary", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, summary),
	  HELP("after the last interval what was counted in all") },
	{ "no-csv-summary", 0, SHOW, NEGATABLE, NULL, UNFLAG(STAT, csv_summary),
	  HELP("with --summary and -x: no \"summary\" before each line") },
	{ "quiet", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, quiet),
	  HELP("print neither counts nor warnings") },
	{ "record-tpebs", 0, SHOW, NEGATABLE, NULL, NOTHING,
	  HELP("accepted for scripts; has no effect") },
	{ "verbose", 'v', SHOW, NEGATABLE, NULL, COUNT(STAT, verbose),
	  HELP("say more: why an event is not counted; twice: debug messages"),
	  PROFILE("say more: how the BPF program is attached; twice: debug messages") },
	{ "version", 0, ELSE, OWN, NULL, FLAG(STAT, show_version),
	  HELP("print the version; with -v the libraries', with -vv what this kernel allows") },

	{ "metrics", 'M', METRICS, 0, "NAMES", CALL(take_metrics),
	  HELP("count what these metrics or groups of metrics are made of, and show them") },
	{ "metrics-file", 0, METRICS, OWN, "FILE", TEXT(STAT, metrics.file),
	  HELP("metrics as vendors publish them for perf (JSON)") },
	{ "metric-only", 0, METRICS, NEGATABLE, NULL, CALL(take_metric_only),
	  HELP("show metrics and no counts, in columns") },
	{ "metric-no-group", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.no_group),
	  HELP("do not group the events of a metric") },
	{ "metric-no-merge", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.no_merge),
	  HELP("do not share events between metrics") },
	{ "metric-no-threshold", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.no_threshold),
	  HELP("count no events for thresholds alone") },
	{ "topdown", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.topdown),
	  HELP("show which part of the CPU limits the program (top-down)") },
	{ "smi-cost", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.smi_cost),
	  HELP("show the share of cycles in system management interrupts (Intel)") },
	{ "td-level", 0, METRICS, NEGATABLE, "N",
	  NUMBER(STAT, metrics.td_level, 0, UINT32_MAX, "the level"),
	  HELP("level of detail of --topdown; default: 1") },
	{ "transaction", 'T', METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.transaction),
	  HELP("show the metrics of hardware transactions") },

	/* the help of these is what to use instead */
	{ "iostat", 0, HIDDEN, OPTIONAL, "PORTS", REFUSED,
	  HELP("there are no such metrics\nuse -e with the uncore PMUs of the root ports") },
	{ "input", 0, HIDDEN, 0, "FILE", REFUSED,
	  HELP("pstat does not record counts\nuse -x or -j with -o, and keep the file") },
};
/* clang-format on */

const int nr_option_rows = sizeof(option_rows) / sizeof(option_rows[0]);
_Static_assert(sizeof(option_rows) / sizeof(option_rows[0]) < OPTION_ROWS_MAX, "too many rows");

/* ---- rows ---- */

const char *option_row__help(const struct option_row *row, enum option_command command)
{
	return command == OF_PROFILE && row->profile != same ? row->profile : row->help;
}

const char *option_row__format(const struct option_row *row, char text[OPTION_NAME_MAX])
{
	if (row->letter)
		snprintf(text, OPTION_NAME_MAX, "-%c", row->letter);
	else
		snprintf(text, OPTION_NAME_MAX, "--%s", row->name);
	return text;
}

void option_row__format_long(const struct option_row *row, bool on, char text[OPTION_NAME_MAX])
{
	bool is_negative = !strncmp(row->name, "no-", 3);

	if (on || is_negative)
		snprintf(text, OPTION_NAME_MAX, "%s", row->name + (on ? 0 : 3));
	else
		snprintf(text, OPTION_NAME_MAX, "no-%s", row->name);
}

const struct option_row *option_rows__find(const char *option, size_t len)
{
	bool is_long = option[1] == '-';

	for_each_option_row(row) {
		if (!is_long && row->letter == option[1])
			return row;
		if (is_long && !strncmp(row->name, option + 2, len - 2) && !row->name[len - 2])
			return row;
	}
	return NULL;
}
