/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A selected event: what to count, its name and unit in the output, and properties that determine
 * which backend (util/count/backend.h) counts it. The parser and the resolver create an evsel, and
 * builtin/ completes it according to the options. After counting has begun, the struct does not
 * change. The counts are stored elsewhere (util/count/counts.h).
 */
#ifndef PSTAT_EVENT_EVSEL_H
#define PSTAT_EVENT_EVSEL_H

#include <stdbool.h>
#include <stdint.h>

#include "perf-sys.h"

struct cgroup;
struct cpumap;

/* Events that pstat counts without perf_event_open(2). */
enum tool_event {
	TOOL_NONE,	    /* none of these: counted with perf_event_open(2) */
	TOOL_DURATION_TIME, /* wall time in ns */
	TOOL_USER_TIME,	    /* user time in ns of the counted command, tasks or CPUs */
	TOOL_SYSTEM_TIME,   /* system time in ns of the counted command, tasks or CPUs */
	TOOL_RUN_CNT,	    /* runs of the BPF programs of -b, or of the scopes of --scope */
	/*
	 * wall time in ns from the first to the second point of a scope
	 * (util/machine/scope/scope.h)
	 */
	TOOL_SCOPE_TIME,
	/* the values of the following events are read, not counted (util/count/tool-figure.h) */
	TOOL_FACT,  /* a fact such as num_cpus; attr.config1 is its index (machine-view.h) */
	TOOL_HWMON, /* a sensor: `source` is its file below /sys; the count is signed */
	TOOL_DRM,   /* use of graphics devices by processes: `source` is the key in fdinfo */
};

/* Returns whether the event is duration_time, user_time or system_time, which are in ns. */
bool tool_event__is_time(enum tool_event tool);

/*
 * Returns whether the event is duration_time, user_time, system_time, a fact, a sensor, or the use
 * of a graphics device. The count of such an event is the same for all cgroups, programs and
 * scopes. However, counts of user_time and system_time can differ between CPUs and between threads.
 */
bool tool_event__is_of_session(enum tool_event tool);

/*
 * Returns whether the event is a fact, a sensor or the use of a graphics device. For such an event,
 * reports show the last value that was read, without subtracting an earlier value.
 */
bool tool_event__is_figure(enum tool_event tool);

/* An evlist owns its evsels. An evsel owns its strings and maps. */
struct evsel {
	int idx; /* index in the evlist */
	/*
	 * index of the event in the event string; all evsels that come from this event, for example
	 * one for each PMU, have the same `ordinal`
	 */
	int ordinal;
	/*
	 * The event as parsed: type, size, config, config1, config2, config3, bp_type, the exclude
	 * bits, precise_ip, pinned and exclusive. The backend opens the event with a copy, in which
	 * it sets the other fields (disabled, inherit, read_format, ...).
	 */
	union perf_attr attr;
	char *name;   /* as printed, with modifiers */
	char *unit;   /* "" without a unit; "msec" for clocks */
	double scale; /* printed value = count × scale */
	/* name of the PMU; NULL: the kernel chooses the PMU by the event's type */
	char *pmu_name;
	/*
	 * the CPUs on which to open the event: the CPUs of the PMU or of the term cpu=; NULL: any
	 * CPU
	 */
	struct cpumap *pmu_cpus;
	char *tracepoint; /* system:name, or NULL */
	/* attr.bp_addr is a link-time address in this file; NULL: bp_addr is absolute */
	char *symbol_file;
	char *filter;		     /* from --filter, or NULL */
	const struct cgroup *cgroup; /* the event's cgroup from -G, or NULL */
	/* TOOL_HWMON: the sensor's file below /sys; TOOL_DRM: the key in fdinfo; otherwise NULL */
	char *source;
	/* the leader of the event's group; the event itself if it is a leader or not in a group */
	struct evsel *leader;
	/* in a leader: the number of members of its group, including the leader; otherwise 0 */
	int nr_members;
	enum tool_event tool;
	/*
	 * PERF_COUNT_HW_… if this event of a PMU has a generic name (cpu/cpu-cycles/); otherwise -1
	 */
	int generic_hw;
	bool cpus_given; /* `pmu_cpus` comes from a term cpu=, not from the PMU */
	/*
	 * the event counts for a whole CPU package or a similar set of CPUs, and is opened on the
	 * CPUs of the PMU's cpumask (pmu_cpus)
	 */
	bool is_uncore;
	/* opened on one of several core PMUs (hybrid), so the printed name can include the PMU */
	bool is_core_pmu;
	bool bpf_counter; /* modifier b: use shared counters */
	/* modifier R (retirement latency), which is not supported, because it would need samples */
	bool retire_lat;
	/* modifier W: break up the group if it does not fit into the counters */
	bool weak_group;
	/*
	 * a topdown event (regroup.c); stays in its group even if the group is weak and is broken
	 * up
	 */
	bool keeps_group;
	/* the name comes from the term name= of a PMU event, so the output does not add the PMU */
	bool name_given;
	bool is_default; /* added by pstat: a default event, or an event of -d */
	/*
	 * belongs to a metric that pstat defines; an unsupported leader of the event's group is not
	 * an error, unlike in groups that the user wrote
	 */
	bool own_metric;
	/* belongs to the default metrics; its row shows metrics but no count */
	bool default_metric;
	bool exclude_given;    /* has a modifier u, k or h */
	bool guest_host_given; /* has a modifier G or H */
	/* reports show the current value, and never subtract an earlier value from it */
	bool snapshot;
	bool per_pkg; /* counted once per CPU package */
	bool percore; /* term percore: counts are summed over the hardware threads of a core */
	/*
	 * the output adds the counts of this event to the counts of `merge_into`, an event of
	 * another PMU
	 */
	bool merged;
	struct evsel *merge_into; /* an earlier event in the evlist; NULL unless `merged` is set */
};

/*
 * Returns a new evsel that is its own leader, with scale 1 and unit "". Returns NULL if memory ran
 * out.
 */
struct evsel *evsel__new(void);
void evsel__free(struct evsel *evsel);

bool evsel__is_group_leader(const struct evsel *evsel);

/*
 * Returns whether the event is in a group of several events. The result does not change if a weak
 * group is broken up.
 */
bool evsel__is_grouped(const struct evsel *evsel);

/* Returns @value, a count of @evsel, as a double. The counts of sensors (TOOL_HWMON) are signed. */
double evsel__count(const struct evsel *evsel, uint64_t value);

/* Returns whether the event is task-clock or cpu-clock, which count ns and are printed in msec. */
bool evsel__is_clock(const struct evsel *evsel);
/*
 * Returns whether -b and --scope count the event by reading it at the beginning and the end of each
 * run of a program or scope.
 */
bool evsel__is_read_per_run(const struct evsel *evsel);
/*
 * Returns whether the event is `context-switches` and does not exclude the kernel, where all
 * context switches happen.
 */
bool evsel__counts_switches(const struct evsel *evsel);
/*
 * Returns whether the event always has a counter. This is the case for software events,
 * tracepoints, breakpoints, and events of the PMU "msr", which has a counter for each of its
 * events.
 */
bool evsel__always_counts(const struct evsel *evsel);
/*
 * Returns whether @name is the event's name. The spaces around the event in -e are part of the
 * name, but @name may omit them.
 */
bool evsel__has_name(const struct evsel *evsel, const char *name);

/*
 * The contexts that a count does not include, because the kernel or the PMU refused to count the
 * event in them.
 */
enum left_out {
	LEFT_OUT_KERNEL = 1, /* the user is not allowed to count events in the kernel */
	/* the PMU cannot count events in guests (EOPNOTSUPP), for example on Apple's CPUs */
	LEFT_OUT_GUESTS = 2,
};

/*
 * Returns the mark that is printed after the event's name if the event is not counted in the kernel
 * or in guests. The mark consists of the modifiers that would have this effect, for example ":u",
 * or "u" if the event's name already contains a colon or a slash. @left_out consists of bits of
 * enum left_out. If @left_out is 0, returns "".
 */
const char *evsel__left_out_mark(const struct evsel *evsel, unsigned int left_out);

#endif
