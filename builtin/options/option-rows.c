// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of options. pstat first checks for conflicting options, then for missing options, and
 * then checks the values. Each time, it follows the order of the table. It reports only the first
 * error. --help sorts options alphabetically.
 */
#include "builtin/options/option-rows.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "builtin/export/export-options.h"
#include "builtin/profile/profile-options.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/clock.h"

#define WEEK_MS (7ULL * 24 * 3600 * 1000)
#define PERIOD_MAX (1ULL << 62)
#define MAP_SIZE_MAX (1 << 24)
#define STACK_MAP_SIZE_MAX (1 << 20)

/* ---- macros of the table ---- */

/*
 * The structs with the fields that options set. profile_options and export_options begin with a
 * struct stat_options, so an offset in struct stat_options is also valid in these two structs.
 */
#define STRUCT_STAT struct stat_options
#define STRUCT_PROFILE struct profile_options
#define STRUCT_EXPORT struct export_options
#define STRUCT_RAW struct raw_options
enum { IN_STAT, IN_PROFILE, IN_EXPORT, IN_RAW };

_Static_assert(!offsetof(struct profile_options, stat), "IN_STAT and IN_PROFILE have one base");
_Static_assert(!offsetof(struct export_options, stat), "IN_STAT and IN_EXPORT have one base");

/* clang-format off */
#define FIELD(in, field) (((STRUCT_##in *)0)->field)
#define AT(in, field) \
	.in_raw = IN_##in == IN_RAW, \
	.at = offsetof(STRUCT_##in, field), .size = sizeof(FIELD(in, field))
/* Expands to 0. If the type of the field is not @type, the comparison causes a compiler warning. */
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
/* Add the option to `pstat profile`: SAME with the text of HELP(), PROFILE() with another text. */
#define SAME .profile = option_same_help
#define PROFILE(text) .profile = text
const char option_same_help[] = "";

#define RULES(...) .rules = (const struct option_rule[]){ __VA_ARGS__, { 0 } }
#define NOT_WITH(others, why) { RULE_CONFLICT, others, why, false, false }
#define NEEDS(others, why) { RULE_NEED, others, why, false, false }
#define IN_PROFILE_ONLY(kind, others, why) { kind, others, why, true, false }
#define IN_STAT_ONLY(kind, others, why) { kind, others, why, false, true }
#define NO_STACKS(name) \
	{ RULE_CONFLICT_WHY, "-b", \
	  name " is for stacks, which -b does not collect: omit one of the two", \
	  false, false }
/* clang-format on */

/* ---- the table ---- */

#define CPU_LIST "CPU[,CPU-CPU...]"
/* clang-format off */
#define POINT_RULES \
	RULES(NOT_WITH("-n", "-n counts nothing"), \
	      IN_STAT_ONLY(RULE_CONFLICT, "-G", "use --for-each-cgroup instead"))
#define CGROUP_HELP \
	"the tasks of a cgroup: the first name is for the first event, and so on; a single name " \
	"applies to all events before it"
#define PROG_KINDS "ID, ID:FUNCTION, name:GLOB, tag:HEX, pinned:PATH, type:NAME, all"

const struct option_row option_rows[] = {
	{ "interval-print", 'I', WHEN, NEGATABLE | ZERO_IS_NONE | EXPORT, "MS",
	  MS(STAT, count.interval_ns, "the interval in milliseconds"),
	  HELP("print the counts every MS milliseconds"),
	  PROFILE("print the samples every MS milliseconds") },
	{ "timeout", 0, WHEN, NEGATABLE | ZERO_IS_NONE, "MS",
	  MS(STAT, count.timeout_ns, "the time in milliseconds"),
	  HELP("stop after MS milliseconds, and end COMMAND"), SAME },
	{ "interval-count", 0, WHEN, NEGATABLE | ZERO_IS_NONE, "N",
	  NUMBER(STAT, count.interval_count, 0, UINT32_MAX, "the number of intervals"),
	  HELP("stop after N intervals"), SAME,
	  RULES(NEEDS("-I", "--interval-count counts the intervals of -I: give -I too")) },
	{ "repeat", 'r', WHEN, NEGATABLE | NO_IS_ZERO, "N",
	  NUMBER(STAT, runs, 0, INT_MAX, "the number of runs"),
	  HELP("count N times, and print the mean and its standard error (+-); 0: repeat "
	       "forever") },
	{ "sync", 'S', WHEN, NEGATABLE, NULL, FLAG(STAT, sync),
	  HELP("call sync(2) before each repetition") },
	{ "pre", 0, WHEN, NEGATABLE, "COMMAND", TEXT(STAT, pre),
	  HELP("run a shell command before each repetition") },
	{ "post", 0, WHEN, NEGATABLE, "COMMAND", TEXT(STAT, post),
	  HELP("run a shell command after each repetition") },

	{ "no-aggr", 'A', ROWS, NEGATABLE | EXPORT, NULL, MODE(AGGR_NONE),
	  HELP("one row per CPU") },
	{ "no-merge", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_NONE), HELP("same as -A") },
	{ "per-socket", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_SOCKET), HELP("one row per socket") },
	{ "per-die", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_DIE), HELP("one row per die") },
	{ "per-cluster", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_CLUSTER),
	  HELP("one row per cluster of cores") },
	{ "per-cache", 0, ROWS, NEGATABLE | OPTIONAL, "LEVEL",
	  { .kind = OPTION_MODE, .which = AGGR_CACHE, .check = stat_values__check_cache_level },
	  HELP("one row per cache of this level, L1 to L4; default: the last level") },
	{ "per-core", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_CORE), HELP("one row per core") },
	{ "per-node", 0, ROWS, NEGATABLE, NULL, MODE(AGGR_NODE), HELP("one row per NUMA node") },
	{ "per-thread", 0, ROWS, NEGATABLE | EXPORT, NULL, MODE(AGGR_THREAD),
	  HELP("one row per thread"),
	  RULES(NOT_WITH("-b -C -G --for-each-cgroup",
			 "a thread is counted on all CPUs, in all cgroups and in all BPF programs"),
		NOT_WITH("--per-scope --hist",
			 "--per-thread prints a row per thread, without scopes and histograms")) },
	{ "per-prog", 0, ROWS, OWN, NULL, FLAG(STAT, count.per_prog),
	  HELP("one row per BPF program of -b"),
	  RULES(NEEDS("-b", "--per-prog prints a row for each program of -b: give -b too")) },
	{ "per-scope", 0, ROWS, OWN, NULL, FLAG(STAT, count.per_scope),
	  HELP("one row per scope of --scope"),
	  RULES(NEEDS("--scope", "--per-scope prints a row for each scope: give --scope too")) },
	{ "percore-show-thread", 0, ROWS, NEGATABLE, NULL, FLAG(STAT, percore_show_thread),
	  HELP("with -A: print the sum of a core for each of its CPUs, for events with "
	       "the term percore") },

	{ "bpf-prog", 'b', WHOM, NEGATABLE | EXPORT, "PROG[,PROG...]", TEXT(STAT, prog_text),
	  HELP("count the runs of these BPF programs: " PROG_KINDS),
	  PROFILE("sample these BPF programs and the functions that they call: " PROG_KINDS) },
	{ "scope", 0, WHOM, OWN | EXPORT, "SCOPE", WORD(WORD_SCOPE),
	  HELP("count between two points in programs or in the kernel: uprobe:FILE:FUNCTION, "
	       "usdt:FILE:NAME..NAME, func:FUNCTION, syscall[:NAME,...], or POINT..POINT of these "
	       "and tp:CATEGORY:NAME; can be given more than once"),
	  RULES(NOT_WITH("-b", "count either BPF programs or scopes")) },
	{ "inclusive", 0, WHOM, OWN | EXPORT, NULL, FLAG(STAT, count.inclusive),
	  HELP("with --scope: include inner runs in the count of the outer run, and do not count "
	       "them separately"),
	  RULES(NEEDS("--scope",
		      "--inclusive changes what a run of --scope contains: give --scope too")) },
	{ "start", 0, WHEN, OWN, "POINT", WORD(WORD_START), POINT_RULES,
	  HELP("start counting at this point, which is written as for --scope"),
	  PROFILE("start sampling at this point: uprobe:FILE:FUNCTION, usdt:FILE:PROVIDER:NAME, "
		  "func:FUNCTION, tp:CATEGORY:NAME or syscall:NAME") },
	{ "stop", 0, WHEN, OWN, "POINT", WORD(WORD_STOP), POINT_RULES,
	  HELP("stop counting at this point, until the next --start"),
	  PROFILE("stop sampling at this point, until the next --start") },
	{ "follow", 0, WHOM, OWN | EXPORT, NULL, FLAG(STAT, count.follow_progs),
	  HELP("with -b: also count programs loaded later"),
	  RULES(NEEDS("-b", "--follow looks for programs that -b selects: give -b too")) },
	{ "pid", 'p', WHOM, NEGATABLE | EXPORT, "PID[,PID...]", TEXT(STAT, pid_text),
	  HELP("all threads of these processes; with -b or --scope: only runs in them"),
	  PROFILE("all threads of these processes") },
	{ "tid", 't', WHOM, NEGATABLE | EXPORT, "TID[,TID...]", TEXT(STAT, tid_text),
	  HELP("these threads; with -b or --scope: only runs in them"), PROFILE("these threads") },
	{ "all-cpus", 'a', WHOM, NEGATABLE | EXPORT, NULL, FLAG(STAT, all_cpus),
	  HELP("everything that runs on any CPU"), SAME },
	{ "cpu", 'C', WHOM, NEGATABLE | EXPORT, CPU_LIST, TEXT(STAT, cpu_text),
	  HELP("everything that runs on these CPUs"), SAME },
	{ "cgroup", 'G', WHOM, 0, "NAME[,NAME...]", WORD(WORD_CGROUP), HELP(CGROUP_HELP), SAME,
	  RULES(NOT_WITH("-p -t", "count either the tasks of a cgroup or a list of tasks"),
		NOT_WITH("--for-each-cgroup",
			 "-G counts an event in one cgroup, and --for-each-cgroup counts all "
			 "events in each cgroup")) },
	{ "for-each-cgroup", 0, WHOM, NEGATABLE | EXPORT, "NAME[,NAME...]|REGEX[,REGEX...]",
	  TEXT(RAW, for_each_cgroup),
	  HELP("count all events separately for each of these cgroups"),
	  RULES(NOT_WITH("-p -t", "count either the tasks of cgroups or a list of tasks")) },
	{ "bpf-counters", 0, WHAT, NEGATABLE | EXPORT, NULL, FLAG(STAT, count.bpf_counters),
	  HELP("count all events through counters that BPF reads and sessions share; the "
	       "modifier b does this for individual events"),
	  RULES(NOT_WITH("-G", "shared counters cannot be limited to a cgroup: use "
			       "--for-each-cgroup")) },
	{ "bpf-attr-map", 0, WHAT, NEGATABLE | EXPORT, "PATH", TEXT(STAT, count.attr_map_path),
	  HELP("pinned map of shared counters; default: /sys/fs/bpf/perf_attr_map") },
	{ "table", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, table),
	  HELP("with -r: print the time of each repetition"),
	  RULES(NEEDS("-r", "--table prints the repetitions of -r: give -r too")) },
	{ "range", 0, SHOW, OWN, NULL, FLAG(STAT, range),
	  HELP("with -r: also print the smallest and the largest count"),
	  RULES(NOT_WITH("--metric-only", "--metric-only prints no counts"),
		NEEDS("-r", "--range compares the repetitions of -r: give -r too")) },
	{ "top", 0, SHOW, OWN | EXPORT, "N", NUMBER(STAT, top, 1, INT_MAX, "the number of rows"),
	  HELP("print only the N cgroups, programs, scopes, threads or events with the largest "
	       "counts") },
	{ "cgroup-follow", 0, WHOM, OWN | EXPORT, NULL, FLAG(RAW, cgroup_follow),
	  HELP("with --bpf-counters and --for-each-cgroup: also count cgroups that are created "
	       "later"),
	  RULES(NOT_WITH("-b --scope",
			 "--cgroup-follow needs --bpf-counters, which -b and --scope override"),
		NOT_WITH("-r", "repetitions can have different cgroups, which have no mean"),
		NEEDS("--for-each-cgroup",
		      "--cgroup-follow looks for cgroups that --for-each-cgroup selects: give "
		      "--for-each-cgroup too"),
		NEEDS("--bpf-counters",
		      "--cgroup-follow works only with --bpf-counters: give --bpf-counters too")) },

	{ "delay", 'D', WHEN, NEGATABLE | EXPORT, "MS", CHECKED(stat_values__check_delay),
	  HELP("start counting after MS milliseconds; -1: only when --control enables "
	       "the events") },
	{ "control", 0, WHEN, 0, "fd:IN[,OUT]|fifo:IN[,OUT]", CHECKED(stat_values__check_control),
	  HELP("read commands from IN (enable, disable, ping, evlist, stop), and "
	       "acknowledge them on OUT"), SAME },

	{ "event", 'e', WHAT, EXPORT, "EVENT[,EVENT...]", WORD(WORD_EVENT),
	  HELP("events to count; can be given more than once"),
	  PROFILE("events to sample; default: cycles, or cpu-clock if there are no cycles") },
	{ "filter", 0, WHAT, EXPORT, "CONDITION", WORD(WORD_FILTER),
	  HELP("count the tracepoints of the preceding -e only if CONDITION is true") },
	{ "pfm-events", 0, WHAT, EXPORT, "EVENT[,EVENT...]", WORD(WORD_PFM),
	  HELP("events to count, under their libpfm4 names; can be given more than once") },
	{ "events-dir", 0, WHAT, OWN | EXPORT, "DIR", TEXT(RAW, events_dir),
	  HELP("directory of the vendors' event files; default: $PSTAT_EVENTS or the "
	       "installed files"), SAME },
	{ "detailed", 'd', WHAT, NEGATABLE, NULL, COUNT(RAW, detailed),
	  HELP("also count cache events; -dd and -ddd add more of them") },
	{ "pmu-filter", 0, WHAT, EXPORT, "PMU", CALL(stat_cores__take_pmu_filter),
	  HELP("if several PMUs have an event: count it only on this one; must precede "
	       "-e and -M") },
	{ "cputype", 0, WHAT, EXPORT, "TYPE", CALL(stat_cores__take_cputype),
	  HELP("on hybrid CPUs: count only on this kind of core; must precede -e") },
	{ "freq", 'F', WHAT, 0, "HZ",
	  NUMBER(PROFILE, sampling.freq, 1, UINT32_MAX, "the number of samples per second"),
	  PROFILE("take HZ samples per second; default: 997"),
	  RULES(NOT_WITH("-c", "choose a frequency or a period")) },
	{ "count", 'c', WHAT, 0, "PERIOD",
	  NUMBER(PROFILE, sampling.period, 1, PERIOD_MAX, "the count between samples"),
	  PROFILE("take a sample each time the event's count has increased by PERIOD") },
	{ "all-user", 0, WHAT, NEGATABLE | EXPORT, NULL, FLAG(RAW, all_user),
	  HELP("count all events in user space only"),
	  RULES(NOT_WITH("--all-kernel", "omit both to count user space and the kernel")) },
	{ "all-kernel", 0, WHAT, NEGATABLE | EXPORT, NULL, FLAG(RAW, all_kernel),
	  HELP("count all events in the kernel only") },
	{ "null", 'n', WHAT, NEGATABLE, NULL, FLAG(STAT, null_run),
	  HELP("do not count the default events; without -e and -M, measure only time"),
	  RULES(NOT_WITH("--hist --outliers --per-prog --follow --scope", "-n counts no events")) },
	{ "no-inherit", 'i', WHAT, NEGATABLE | EXPORT, NULL, UNFLAG(STAT, count.inherit),
	  HELP("do not count the children of counted tasks") },
	{ "hist", 0, SHOW, OWN | OPTIONAL | EXPORT, "EVENT", TEXT(RAW, hist),
	  HELP("with -b or --scope: print a histogram of the counts of EVENT per run; default: "
	       "the first event"),
	  RULES(NOT_WITH("--metric-only", "--metric-only prints neither counts nor histograms"),
		NEEDS("-b --scope", "--hist prints a histogram of the runs of BPF programs or "
				    "scopes: give -b or --scope too")) },
	{ "outliers", 0, SHOW, OWN, "VALUE|pN[,EVENT]", TEXT(RAW, outliers),
	  HELP("with -b or --scope: print each run whose count of EVENT exceeds VALUE or the "
	       "N-th percentile; EVENT: an event of -e, or time, the run's duration; default: the "
	       "first event"),
	  RULES(NOT_WITH("--interval-clear", "clearing the screen would clear the printed runs"),
		NOT_WITH("--quiet", "--quiet prints nothing"),
		NEEDS("-b --scope", "--outliers prints individual runs of BPF programs or scopes: "
				    "give -b or --scope too")) },
	{ "packet", 0, SHOW, OWN, "N",
	  NUMBER(STAT, outliers.packet, 1, OUTLIER_PACKET_MAX, "the number of bytes"),
	  HELP("with --outliers: also print the first N bytes of the packet"),
	  RULES(NEEDS("--outliers", "--packet adds packets to the runs of --outliers: give "
				    "--outliers too"),
		NOT_WITH("--scope", "only BPF programs have packets")) },
	{ "outlier-rate", 0, SHOW, OWN, "N",
	  NUMBER(STAT, outliers.rate, 1, OUTLIER_RATE_MAX, "the number of runs per second"),
	  HELP("with --outliers: print at most N runs per second; default: 1000"),
	  RULES(NEEDS("--outliers", "--outlier-rate limits the runs of --outliers: give "
				    "--outliers too")) },
	{ "branches", 0, SHOW, OWN, NULL, FLAG(STAT, outliers.branches),
	  HELP("with --outliers: also print the last branches of the run, if the CPU records them"),
	  RULES(NEEDS("--outliers", "--branches adds branches to the runs of --outliers: give "
				    "--outliers too")) },
	{ "no-calibrate", 0, WHOM, OWN | EXPORT, NULL, FLAG(STAT, count.no_calibrate),
	  HELP("with -b or --scope: do not subtract the cost of counting itself"),
	  RULES(NEEDS("-b --scope", "--no-calibrate changes how BPF programs and scopes are "
				    "counted: give -b or --scope too")) },
	{ "annotate", 0, SHOW, 0, NULL, FLAG(PROFILE, annotate),
	  PROFILE("with -b: print the source of the programs, or their instructions if "
		  "there is no source"),
	  RULES(NEEDS("-b", "--annotate prints the code of BPF programs: give -b too")) },
	{ "folded", 0, SHOW, 0, NULL, FLAG(PROFILE, folded),
	  PROFILE("print stacks in the format of flame-graph tools: comm;frame;...;frame SAMPLES"),
	  RULES(NO_STACKS("--folded")) },
	{ "lines", 0, SHOW, 0, NULL, FLAG(PROFILE, lines),
	  PROFILE("print a row for each source line of programs that have line information"),
	  RULES(NO_STACKS("--lines")) },
	{ "no-demangle", 0, SHOW, NEGATABLE, NULL, FLAG(PROFILE, raw_names),
	  PROFILE("print the names of C++ and Rust functions as they are in the symbol tables"),
	  RULES(NO_STACKS("--no-demangle")) },
	{ "no-inline", 0, SHOW, NEGATABLE, NULL, FLAG(PROFILE, no_inlined),
	  PROFILE("count the samples of inlined functions for the functions that contain them"),
	  RULES(NO_STACKS("--no-inline")) },
	{ "map-size", 0, SHOW, 0, "N",
	  NUMBER(PROFILE, sampling.map_size, 1, MAP_SIZE_MAX, "the number of stacks"),
	  PROFILE("room for N call chains in BPF programs, or for N pairs of a process and a "
		  "stack; default: 65536") },
	{ "stack-map-size", 0, SHOW, 0, "N",
	  NUMBER(PROFILE, sampling.stack_map_size, 1, STACK_MAP_SIZE_MAX, "the number of stacks"),
	  PROFILE("room for N kernel stacks and N user stacks; default: 8192"),
	  RULES(NO_STACKS("--stack-map-size")) },
	{ "debug-dir", 0, SHOW, 0, "DIR[:DIR...]", TEXT(RAW, debug_dirs),
	  PROFILE("search these directories for debug files (.build-id/xx/yyyy.debug) before "
		  "/usr/lib/debug"),
	  RULES(NO_STACKS("--debug-dir")) },

	{ "field-separator", 'x', SHOW, NEGATABLE, "SEP", TEXT(STAT, csv_separator),
	  HELP("print values separated by SEP (\\t: tab)"), SAME,
	  RULES(IN_PROFILE_ONLY(RULE_CONFLICT, "-j", "choose one format")) },
	{ "json-output", 'j', SHOW, NEGATABLE, NULL, FLAG(STAT, json),
	  HELP("print one JSON object per line"), SAME },
	{ "hide-zero", 0, SHOW, OWN, NULL, FLAG(STAT, hide_zero),
	  HELP("do not print rows with a count of 0") },
	{ "csv-header", 0, SHOW, OWN, NULL, FLAG(STAT, csv_header),
	  HELP("with -x: begin with a line of field names"),
	  RULES(NEEDS("-x", "--csv-header prints the names of the fields of -x: give -x too")) },
	{ "big-num", 'B', SHOW, 0, NULL, FLAG(STAT, big_num),
	  HELP("group the digits of large numbers (default)"),
	  RULES(NOT_WITH("-x", "digits are never grouped in CSV")) },
	{ "no-big-num", 0, SHOW, 0, NULL, UNFLAG(STAT, big_num),
	  HELP("do not group the digits of large numbers") },
	{ "scale", 0, SHOW, 0, NULL, UNFLAG(STAT, no_scale),
	  HELP("scale up counts of events that had a counter for only part of the time "
	       "(default)") },
	{ "no-scale", 0, SHOW, EXPORT, NULL, FLAG(STAT, no_scale),
	  HELP("do not scale up counts") },
	{ "hybrid-merge", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, hybrid_merge),
	  HELP("on hybrid CPUs: print one row per event, the sum of all kinds of core") },
	{ "interval-clear", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, interval_clear),
	  HELP("clear the screen before each interval"),
	  RULES(NOT_WITH("-o", "only a terminal has a screen to clear")) },
	{ "output", 'o', SHOW, NEGATABLE, "FILE", TEXT(STAT, output),
	  HELP("write to FILE instead of standard error"),
	  PROFILE("write to FILE instead of standard output"),
	  RULES(NOT_WITH("--log-fd", "choose one place to write to")) },
	{ "append", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, append),
	  HELP("append to the file instead of overwriting it"), SAME,
	  RULES(IN_PROFILE_ONLY(RULE_NEED, "-o", "--append adds to the file of -o: give -o too")) },
	{ "log-fd", 0, SHOW, NEGATABLE, "FD", CHECKED(stat_values__check_log_fd),
	  HELP("write to the file that is open as FD") },
	{ "summary", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, summary),
	  HELP("with -I: also print the totals at the end") },
	{ "no-csv-summary", 0, SHOW, NEGATABLE, NULL, UNFLAG(STAT, csv_summary),
	  HELP("with --summary and -x: omit the prefix \"summary\"") },
	{ "quiet", 0, SHOW, NEGATABLE, NULL, FLAG(STAT, quiet),
	  HELP("print neither counts nor warnings") },
	{ "record-tpebs", 0, SHOW, NEGATABLE, NULL, NOTHING,
	  HELP("accepted for scripts; has no effect") },
	{ "verbose", 'v', SHOW, NEGATABLE | EXPORT, NULL, COUNT(STAT, verbose),
	  HELP("print why events are not counted; -vv: also debug messages"),
	  PROFILE("print how the BPF program is attached; -vv: also debug messages") },
	{ "version", 0, ELSE, OWN, NULL, FLAG(STAT, show_version),
	  HELP("print the version; with -v, also the versions of libraries; "
"with -vv, also what this kernel allows") },

	{ "save", 0, SHOW, OWN, "FILE", TEXT(STAT, compare.save),
	  HELP("also write the counts of each repetition to FILE, for --against and "
	       "`pstat compare`"),
	  RULES(NOT_WITH("--metric-only", "--metric-only prints no counts"),
		NOT_WITH("--per-thread", "threads of different runs cannot be compared")) },
	{ "against", 0, SHOW, OWN, "FILE", TEXT(STAT, compare.against),
	  HELP("print whether the counts are worse or better than the counts in FILE, which "
	       "--save wrote"),
	  RULES(NOT_WITH("--metric-only", "--metric-only prints no counts"),
		NOT_WITH("--per-thread", "threads of different runs cannot be compared"),
		NOT_WITH("--ab", "both choose the counts to compare with")) },
	{ "ab", 0, WHOM, OWN, "COMMAND", CALL(stat_compare__take_ab),
	  HELP("given twice: print whether the second shell command is worse or better than the "
	       "first one; they run alternately, -r times each; default: 10 times"),
	  RULES(NOT_WITH("-b --scope -p -t -I --per-thread",
			 "--ab counts only whole runs of two commands"),
		NOT_WITH("--metric-only", "--metric-only prints no counts")) },
	{ "fail-over", 0, SHOW, OWN, "EVENT:PERCENT%[,...]", CHECKED(stat_compare__check_fail_over),
	  HELP("exit with status 100 if one of these events is worse by more than PERCENT"),
	  RULES(NEEDS("--against --ab",
		      "--fail-over judges a comparison: give --against or --ab too")) },
	{ "strict", 0, SHOW, OWN, NULL, FLAG(STAT, compare.strict),
	  HELP("with --fail-over: exit with status 101 if it cannot be decided whether an event "
	       "is worse"),
	  RULES(NEEDS("--fail-over", "--strict applies to the events of --fail-over: give "
				     "--fail-over too")) },
	{ "warmup", 0, WHEN, OWN, "N",
	  NUMBER(STAT, compare.warmup, 0, INT_MAX, "the number of runs"),
	  HELP("run the command N times before the repetitions that are counted") },
	{ "markdown", 0, SHOW, OWN, NULL, FLAG(STAT, compare.markdown),
	  HELP("with --against or --ab: print a Markdown table"),
	  RULES(NOT_WITH("-x -j", "choose one format"),
		NEEDS("--against --ab", "--markdown is a format of comparisons: give --against or "
					"--ab too")) },
	{ "seed", 0, SHOW, OWN, "N", NUMBER(STAT, compare.spec.seed, 0, UINT64_MAX, "the seed"),
	  HELP("with --against or --ab: seed of the random numbers of the bootstrap; default: 1"),
	  RULES(NEEDS("--against --ab", "--seed applies to comparisons: give --against or --ab "
					"too")) },

	{ "metrics", 'M', METRICS, 0, "NAMES", CALL(stat_metrics__take),
	  HELP("count the events of these metrics or groups of metrics, and print the metrics") },
	{ "metrics-file", 0, METRICS, OWN, "FILE", TEXT(STAT, metrics.file),
	  HELP("file of metrics in perf's JSON format") },
	{ "metric-only", 0, METRICS, NEGATABLE, NULL, CALL(stat_metrics__take_only),
	  HELP("print only metrics, in columns, without counts") },
	{ "metric-no-group", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.no_group),
	  HELP("do not group the events of a metric") },
	{ "metric-no-merge", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.no_merge),
	  HELP("do not share events between metrics") },
	{ "metric-no-threshold", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.no_threshold),
	  HELP("do not count events that only thresholds need") },
	{ "topdown", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.topdown),
	  HELP("show which part of the CPU limits the program") },
	{ "smi-cost", 0, METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.smi_cost),
	  HELP("show the share of cycles spent in system management interrupts (Intel)") },
	{ "td-level", 0, METRICS, NEGATABLE, "N",
	  NUMBER(STAT, metrics.td_level, 0, UINT32_MAX, "the level"),
	  HELP("with --topdown: level of detail; default: 1") },
	{ "transaction", 'T', METRICS, NEGATABLE, NULL, FLAG(STAT, metrics.transaction),
	  HELP("show the metrics of hardware transactions") },

	{ "listen", 0, SHOW, EXPORT | EXPORT_ONLY, "ADDRESS", TEXT(EXPORT, listen),
	  HELP("serve the metrics at this address: HOST:PORT or unix:PATH; default: "
	       "127.0.0.1:9736") },
	{ "textfile", 0, SHOW, EXPORT | EXPORT_ONLY, "FILE", TEXT(EXPORT, textfile),
	  HELP("write the metrics to FILE, for the textfile collector of node_exporter; without "
	       "--listen, pstat then serves nothing") },
	{ "once", 0, SHOW, EXPORT | EXPORT_ONLY, NULL, FLAG(EXPORT, once),
	  HELP("print the metrics to standard output, and exit"),
	  RULES(NOT_WITH("--listen --textfile", "--once prints to standard output")) },
	{ "format", 0, SHOW, EXPORT | EXPORT_ONLY, "FORMAT", TEXT(EXPORT, format_text),
	  HELP("with --once: openmetrics (default) or prometheus"),
	  RULES(NEEDS("--once", "clients of --listen choose the format, and --textfile has only "
				"one: give --once too")) },

	/* options that pstat refuses; the help is the text of the error message */
	{ "iostat", 0, HIDDEN, OPTIONAL, "PORTS", REFUSED,
	  HELP("pstat has no PCIe metrics\nuse -e with the uncore PMUs of the root ports") },
	{ "input", 0, HIDDEN, 0, "FILE", REFUSED,
	  HELP("pstat does not record counts\nuse -x or -j with -o, and keep the file") },
};
/* clang-format on */

const int nr_option_rows = sizeof(option_rows) / sizeof(option_rows[0]);
_Static_assert(sizeof(option_rows) / sizeof(option_rows[0]) < OPTION_ROWS_MAX, "too many rows");
