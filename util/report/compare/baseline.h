/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A baseline contains the value of each event in each repetition or interval, and facts about the
 * machine. `pstat stat --save` stores a baseline in a file. baseline-file.h declares the functions
 * that read and write these files.
 */
#ifndef PSTAT_REPORT_COMPARE_BASELINE_H
#define PSTAT_REPORT_COMPARE_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

struct evlist;
struct evsel;
struct stat_rows;
struct strbuf;
struct sysroots;

/* Facts about the machine. */
enum baseline_fact {
	FACT_HOST,
	FACT_KERNEL,
	FACT_ARCHITECTURE,
	FACT_CPU,
	FACT_MICROCODE,
	FACT_GOVERNOR,
	FACT_SMT,
	FACT_CPUS,
	FACT_NR
};

extern const char *const baseline_fact_names[FACT_NR];

/* Members of struct perf_event_attr that, together with the type, determine what is counted. */
enum baseline_attr {
	ATTR_CONFIG,
	ATTR_CONFIG1,
	ATTR_CONFIG2,
	ATTR_CONFIG3,
	ATTR_EXCLUDE_USER,
	ATTR_EXCLUDE_KERNEL,
	ATTR_EXCLUDE_HV,
	ATTR_EXCLUDE_HOST,
	ATTR_EXCLUDE_GUEST,
	ATTR_PRECISE_IP,
	ATTR_NR
};

extern const char *const baseline_attr_names[ATTR_NR];

/*
 * The values of one event for one cgroup, subject and aggregate (a set of CPUs). Owns its strings
 * and arrays.
 */
struct baseline_series {
	char *event;	 /* the event as printed */
	char *cgroup;	 /* or NULL */
	char *subject;	 /* name of a thread, BPF program or scope; or NULL */
	char *aggregate; /* for example "S0-D0" or "CPU3"; or NULL */
	char *unit;	 /* "" without a unit */
	/* kind of event: a PMU's name, "software", "tracepoint SYSTEM:NAME", ... */
	char *type;
	uint64_t attr[ATTR_NR];
	bool per_run; /* the values are per run of BPF programs or scopes */
	int nr, room;
	double *values; /* [nr], in `unit`; NAN: not counted, or there was no run */
	double *shares; /* [nr]: the event had a counter for this share of the time (0 to 1) */
	double *runs;	/* [nr]: number of runs of BPF programs or scopes; 0 unless per_run */
};

/* A repetition. Times are in seconds. */
struct baseline_time {
	double elapsed; /* wall time */
	double user;	/* CPU time of the command in user mode; NAN: not known */
	double system;	/* CPU time of the command in the kernel; NAN: not known */
	int code;	/* exit status of the command; -1: none */
};

/* The times of all repetitions; empty for intervals. */
struct baseline_times {
	struct baseline_time *list;
	int nr, room;
};

/* Owns all its members. */
struct baseline {
	char *version;	      /* version of the pstat that counted */
	char *time;	      /* when counting started, in ISO 8601 */
	char *target;	      /* what was counted, for example a command; one line of text */
	bool intervals;	      /* each value is the count of an interval, not of a repetition */
	char *facts[FACT_NR]; /* NULL: not known */
	uint64_t lost_runs;   /* number of lost runs of BPF programs or scopes */
	struct baseline_times times;
	struct baseline_series *series;
	int nr;
};

/* Returns NULL if memory ran out. */
struct baseline *baseline__new(void);
void baseline__free(struct baseline *b);

/* Adds the facts that the baseline lacks and the machine provides. Returns 0 or -ENOMEM. */
int baseline__add_facts(struct baseline *b, const struct sysroots *roots);

/*
 * Adds the rows of a repetition or an interval: one value to each series. A series without a row
 * gets the value NAN. A row without a series gets a new series, whose earlier values are NAN. If a
 * series has several rows, only the first is used. @evlist contains the events of the rows. Returns
 * 0 or -ENOMEM.
 */
int baseline__add_rows(struct baseline *b, const struct stat_rows *rows,
		       const struct evlist *evlist);

/*
 * In each series that has more than @most intervals, combines the first interval with the second,
 * the third with the fourth, and so on: adds up their values or, if these are per run, computes
 * their mean.
 */
void baseline__limit(struct baseline *b, int most);

/* Returns 0 or -ENOMEM. */
int baseline_times__add(struct baseline_times *times, const struct baseline_time *time);

/*
 * Adds an empty series. Returns a pointer that is valid until another series is added, or NULL if
 * memory ran out.
 */
struct baseline_series *baseline__add_series(struct baseline *b);
/* Returns 0 or -ENOMEM. */
int baseline_series__add(struct baseline_series *s, double value, double share, double runs);

/*
 * Compares the names of two series like strcmp(3). A name consists of the event, cgroup, subject
 * and aggregate.
 */
int baseline_series__compare(const struct baseline_series *a, const struct baseline_series *b);
/* Returns whether both series have the same name. */
bool baseline_series__match(const struct baseline_series *a, const struct baseline_series *b);

/* Adds the name of @s in readable form, for example "instructions:u xdp_lb CPU3 my.slice". */
void baseline_series__add_name(const struct baseline_series *s, struct strbuf *sb);

#endif
