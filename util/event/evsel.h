/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event that was selected: what to count, under which name and unit to print it, and which kind of backend it asks for.
 * Made by the parser and the resolver; nobody changes it once the evlist is resolved. What was counted is not here (see
 * util/count/counts.h).
 */
#ifndef PSTAT_EVENT_EVSEL_H
#define PSTAT_EVENT_EVSEL_H

#include <stdbool.h>
#include <stdint.h>

#include "perf-sys.h"

struct cpumap;

/* Events that no perf fd counts. */
enum tool_event {
	TOOL_NONE,
	TOOL_DURATION_TIME, /* ns of wall time */
	TOOL_USER_TIME,	    /* ns of the workload's user time */
	TOOL_SYSTEM_TIME,   /* ns of the workload's system time */
	TOOL_RUN_CNT,	    /* runs of the BPF programs of -b */
	/* figures that pstat reads from files; see util/event/resolve-tool.c */
	TOOL_FACT,  /* a fact about the machine: attr.config1 is its number in machine-view.h */
	TOOL_HWMON, /* a sensor: `source` is its file below /sys; the count is signed */
	TOOL_DRM,   /* how processes use graphics devices: `source` is the key in fdinfo */
};

/* A time that pstat itself knows, in ns. */
static inline bool tool_event__is_time(enum tool_event tool)
{
	return tool == TOOL_DURATION_TIME || tool == TOOL_USER_TIME || tool == TOOL_SYSTEM_TIME;
}

/* pstat itself determines the count, which is the same for every CPU, task and program. */
static inline bool tool_event__is_of_session(enum tool_event tool)
{
	return tool != TOOL_NONE && tool != TOOL_RUN_CNT;
}

/*
 * A figure that pstat reads with each reading of the counts. It is a current value, not a running
 * total.
 */
static inline bool tool_event__is_figure(enum tool_event tool)
{
	return tool == TOOL_FACT || tool == TOOL_HWMON || tool == TOOL_DRM;
}

/* Owned by its evlist; the strings and maps are the evsel's own. */
struct evsel {
	int idx; /* place in the evlist */
	/*
	 * type, size, config to config3, the exclude bits, precise_ip, pinned, exclusive: the event as parsed. How it is
	 * opened (disabled, inherit, read_format …) is the backend's affair.
	 */
	union perf_attr attr;
	char *name;		 /* as printed, modifiers included */
	char *unit;		 /* "" when it has none; "msec" for the clocks */
	double scale;		 /* value printed = count × scale */
	char *pmu_name;		 /* sysfs name of the PMU, NULL when the type came by number or name */
	struct cpumap *pmu_cpus; /* CPUs on which it has to be opened (cpumask, cpus); NULL: any */
	char *tracepoint;	 /* system:name, NULL when it is none */
	char *symbol_file; /* bp_addr is a symbol's in this file, to be moved by where it is loaded; NULL: is exact */
	char *filter;	   /* of --filter, NULL without */
	char *source;	   /* where a figure is read (see enum tool_event), NULL for other events */
	struct evsel *leader; /* of its group; itself when alone or first */
	int nr_members;	      /* in the leader: members of the group, itself included; else 0 */
	enum tool_event tool;
	int generic_hw;		  /* PERF_COUNT_HW_… whose name the PMU's own event has (cpu/cpu-cycles/); -1: none */
	bool cpus_given;	  /* pmu_cpus are those of a term cpu=, not of the PMU */
	bool is_uncore;		  /* counts a package or the like, not a CPU: pmu_cpus is the PMU's cpumask */
	bool is_core_pmu;	  /* opened on one of several core PMUs (hybrid): the name is printed with the PMU's */
	bool bpf_counter;	  /* modifier b */
	bool retire_lat;	  /* modifier R: a latency from samples, which is not supported */
	bool weak_group;	  /* modifier W, in the leader: may be broken up */
	bool keeps_group;	  /* stays in a group when its weak group is broken up */
	bool name_given;	  /* by a PMU event's term name=: printed without a PMU or CPU */
	bool is_default;	  /* pstat added the event by itself: a default event, or an event of -d */
	bool own_metric;	  /* for a metric of pstat's own: its group may lack a leader */
	bool default_metric;	  /* for default metrics: its row shows metrics and no count */
	bool exclude_given;	  /* a u, k or h modifier stood there */
	bool guest_host_given;	  /* a G or H modifier stood there */
	bool snapshot;		  /* the value is not a running count: no difference is taken */
	bool per_pkg;		  /* counted once a package */
	bool percore;		  /* term percore: summed over the threads of a core */
	bool merged;		  /* one of several PMUs' events that the output adds into `merge_into` */
	struct evsel *merge_into; /* of the same evlist, before it in the list; NULL unless merged */
};

/* A zeroed evsel with scale 1, unit "" and itself as leader. NULL without memory. */
struct evsel *evsel__new(void);
void evsel__free(struct evsel *evsel);

static inline bool evsel__is_group_leader(const struct evsel *evsel)
{
	return evsel->leader == evsel;
}

/* It was listed as one of a group of several: a weak one may have been broken up when it was opened. */
static inline bool evsel__is_grouped(const struct evsel *evsel)
{
	return evsel->leader->nr_members > 1;
}

/* The count @value as a number: a sensor's can be negative. */
static inline double evsel__count(const struct evsel *evsel, uint64_t value)
{
	return evsel->tool == TOOL_HWMON ? (double)(int64_t)value : (double)value;
}

/* task-clock or cpu-clock: counts ns, printed in msec. */
bool evsel__is_clock(const struct evsel *evsel);
/* context-switches with the kernel's part, where all of them happen. */
bool evsel__counts_switches(const struct evsel *evsel);
/* Is never without a counter, alone: the kernel's own events, and those of a PMU that has one for each. */
bool evsel__always_counts(const struct evsel *evsel);
/* Is that the event's name, with or without the spaces that were around it in -e? */
bool evsel__has_name(const struct evsel *evsel, const char *name);

/* What the kernel or the PMU refuses to count of an event, so that the rest is counted. */
enum left_out {
	LEFT_OUT_KERNEL = 1, /* this user may not count it */
	LEFT_OUT_GUESTS = 2, /* the PMU cannot count them (EOPNOTSUPP), as on Apple's CPUs */
};

/*
 * Returns what a row shows after the event's name if parts of the event are left out (bits of enum
 * left_out): the modifiers with which the user would have asked for the rest.
 */
const char *evsel__left_out_mark(const struct evsel *evsel, unsigned int left_out);

#endif
