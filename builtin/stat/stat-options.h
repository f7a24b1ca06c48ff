/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of `pstat stat`, checked and resolved to tasks, CPUs, programs and events. */
#ifndef PSTAT_BUILTIN_STAT_OPTIONS_H
#define PSTAT_BUILTIN_STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "builtin/stat/stat-metrics.h"
#include "util/base/strbuf.h"
#include "util/count/control.h"
#include "util/count/gate.h"
#include "util/count/outliers.h"
#include "util/count/stat-config.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/scope/scope.h"
#include "util/report/compare/compare.h"

struct evlist;

/* --save, --against and --ab, and the options that affect a comparison. */
struct stat_compare {
	const char *save;    /* the file to write; NULL: none */
	const char *against; /* the file to compare with; NULL: none */
	const char *ab[2];   /* shell commands to compare; nr_ab is 0 or 2 */
	int nr_ab;
	char *ab_argv[2][4];
	uint64_t warmup; /* for each command, the number of repetitions to discard at the start */
	struct compare_spec spec;
	bool strict;
	bool markdown;
};

/*
 * stat_options__parse() fills in this struct. Afterwards, the struct does not change. It owns all
 * data to which it points, except the strings of argv.
 */
struct stat_options {
	/* what to count */
	struct stat_config count;
	struct evlist *evlist;
	struct stat_metrics metrics;
	struct prog_selection *progs;  /* count.progs points to it */
	struct scope_list scopes;      /* --scope; count.scopes points to it */
	struct gate_points points;     /* --start, --stop; count.points points to it */
	struct scope_list point_files; /* the files that contain `points` */
	struct strbuf scope_text;      /* the arguments of --scope; empty: not given */
	bool has_points;	       /* --scope, --start or --stop was given */
	/* the arguments of -b, -p, -t and -C; NULL: not given */
	const char *prog_text;
	const char *pid_text;
	const char *tid_text;
	const char *cpu_text;
	int argc;			/* the length of count.argv */
	bool all_cpus;			/* -a was given */
	struct cgroup **opened_cgroups; /* without duplicates */
	int nr_cgroups;
	struct cgroup_mount cgroup_mount; /* set with -G or --for-each-cgroup */
	struct outlier_spec outliers;	  /* count.outliers points to it */
	/* print only this number of cgroups, programs, scopes, threads or events; 0: all */
	uint64_t top;
	struct control_spec control; /* count.control points to it */

	/* repetitions, and actions before and after each of them */
	uint64_t runs; /* 0: no limit */
	bool null_run; /* do not count default events; without -e and -M, measure only time */
	bool sync;
	/* the shell commands of --pre and --post; NULL: not given */
	const char *pre;
	const char *post;

	struct stat_compare compare;
	/*
	 * do not print intervals: they exist only because --save or a comparison needs their values
	 */
	bool hides_intervals;

	/* rows */
	int cache_level; /* the level of --per-cache; 0: the last level */
	bool no_scale;
	bool percore_show_thread;

	/* output */
	/* the separator of -x, with "\t" replaced by a tab; NULL: no CSV */
	const char *csv_separator;
	bool json;
	bool big_num;
	bool table;
	bool interval_clear;
	bool summary;
	bool hybrid_merge;
	bool hide_zero;	    /* do not print rows with a count of 0 */
	bool range;	    /* with -r: also print the smallest and the largest count */
	bool csv_header;    /* with -x: begin with the names of the fields */
	bool csv_summary;   /* with -x: print the prefix "summary" in the rows of totals */
	const char *output; /* the file of -o; NULL: use stderr or log_fd */
	bool append;
	int log_fd; /* -1: not given */
	bool quiet;
	int verbose;
	bool show_version; /* print the version and exit */
	bool as_perf;	   /* pstat was started under the name perf */
	/*
	 * The first word of COMMAND if this word is "record" or "report" and COMMAND does not
	 * follow --; otherwise NULL. With as_perf, the word can also be an abbreviation, and
	 * COMMAND can follow --. If file_command and as_perf are set, the options have not been
	 * checked.
	 */
	const char *file_command;
};

/* Returns whether pstat prints a comparison instead of the counts. */
bool stat_options__compares(const struct stat_options *options);

/* Returns whether pstat keeps the counts of each repetition, to save or compare them. */
bool stat_options__keeps_counts(const struct stat_options *options);

/*
 * Returns 0 and fills @options, or returns the exit code after reporting an error. Reads /sys and
 * /proc to check names, opens cgroups, and can load a BPF program as a test, but does not attach
 * anything or create files. --help and --usage end the process.
 */
int stat_options__parse(int argc, char **argv, bool as_perf, struct stat_options *options);
void stat_options__free(struct stat_options *options);

#endif
