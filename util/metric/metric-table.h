/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of metrics, sorted by name. It contains pstat's own metrics, the CPU vendor's metrics,
 * and the metrics of --metrics-file. A metric that is added later replaces a metric with the same
 * name and PMU.
 */
#ifndef PSTAT_METRIC_TABLE_H
#define PSTAT_METRIC_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Determines whether the events of a metric may form a group, so that they are counted at the same
 * time. The comments name the corresponding MetricConstraint of the vendors' files. The enumerators
 * must have the same values as in perf's jevents.py. tests/native/test_vendor_pack.py checks this.
 */
enum metric_grouping {
	METRIC_GROUP,
	METRIC_NO_GROUP, /* NO_GROUP_EVENTS */
	/* NO_GROUP_EVENTS_NMI: no group while the NMI watchdog occupies a counter */
	METRIC_NO_GROUP_WATCHDOG,
	METRIC_NO_GROUP_SMT, /* NO_GROUP_EVENTS_SMT: no group while SMT is on */
	/*
	 * NO_THRESHOLD_AND_NMI: like METRIC_NO_GROUP_WATCHDOG; but if no events are counted for
	 * thresholds (--metric-no-threshold), like METRIC_GROUP
	 */
	METRIC_NO_GROUP_THRESHOLD,
};

/*
 * Determines when a default metric is shown next to its event even without -M (metric-default.h).
 * Here, a default metric is one of pstat's own metrics, not one of the vendor's default metrics
 * (the group Default).
 */
enum metric_when {
	METRIC_ALWAYS,
	METRIC_HAS_VALUE,
	/*
	 * a rate per second: shown if a clock (task-clock or cpu-clock) is counted, the event has
	 * no other default metric, and no runs of BPF programs or scopes are counted
	 */
	METRIC_IS_RATE,
	/*
	 * shown if runs of BPF programs or scopes are counted; in CSV and JSON, only if the event
	 * is scope-time
	 */
	METRIC_IS_TIME_PER_RUN,
	/*
	 * shown if runs of BPF programs or scopes are counted, and no other metric of the event has
	 * a value
	 */
	METRIC_IS_PER_RUN,
};

/* The definition of a metric. All strings except `name` and `expr` may be NULL. */
struct metric_def {
	const char *name;
	const char *groups; /* the groups that contain the metric, separated by semicolons */
	const char *expr;   /* the formula, in the language of metric-expr.h */
	const char *scale;  /* a factor and a unit: "100%", "1e3per_sec" */
	/*
	 * an expression: if it is 0, the metric's value is good; if it is any other number, the
	 * value is bad
	 */
	const char *threshold;
	const char *desc;
	const char *long_desc;
	/*
	 * groups of metrics, separated by semicolons. If -M names one of them, the events of this
	 * metric do not form a group.
	 */
	const char *no_group_for;
	/* the heading above a default metric of the vendor (DefaultMetricgroupName) */
	const char *heading;
	/*
	 * "1" (DefaultShowEvents): a default metric of the vendor; pstat counts and shows the
	 * events of this metric by default anyway, so metric_set__new_default() omits the metric
	 */
	const char *shows_events;
	const char *pmu; /* the PMU of the metric's events (hybrid machines) */
	enum metric_grouping grouping;
	bool own;     /* one of pstat's own metrics */
	bool of_file; /* from a user's file */
	int line;     /* line in the user's file; 0: unknown, or not from a user's file */
};

/*
 * One of pstat's own metrics. The struct must be small, because the kernel copies the pages of
 * metrics_builtin each time pstat starts (builtin/NOTES.md). A metric without a name is only a
 * default metric: -M cannot select it. In metrics_builtin, the metrics without a name come after
 * the others, and default metrics that apply to any event (`beside` is "") come last.
 */
struct metric_builtin {
	/* as in struct metric_def */
	const char *name, *groups, *expr, *scale, *threshold, *desc;

	/* The following members are only for default metrics (metric-default.h). */
	/* the event next to which the metric is shown; "": any event; NULL: not a default metric */
	const char *beside;
	const char *unit; /* printed after the value */
	/*
	 * a value above levels[0] is notable, above levels[1] high, and above levels[2] severe
	 * (enum metric_level); 0: there is no such level
	 */
	float levels[3];
	unsigned int decimals : 4;
	enum metric_when when : 4;
	bool shows_zero : 1; /* false: the value 0 is treated as missing */
};

extern const struct metric_builtin metrics_builtin[];
extern const int nr_metrics_builtin;

/*
 * In the expression of a default metric: the count of the event next to which the metric is shown.
 */
#define METRIC_OWN_COUNT "count"

struct metric_table;

/* Returns a table with pstat's own metrics, or NULL if memory ran out. */
struct metric_table *metric_table__new(void);
void metric_table__free(struct metric_table *table);

/* Adds a copy of @def, which replaces a metric with the same name and PMU. Returns 0 or -ENOMEM. */
int metric_table__add(struct metric_table *table, const struct metric_def *def);

int metric_table__nr(const struct metric_table *table);
/* Returns metric @i in the order of the names. @i must be less than metric_table__nr(). */
const struct metric_def *metric_table__get(const struct metric_table *table, int i);

/*
 * Finds a metric by name, ignoring case. If several metrics have this name, prefers the metric
 * whose PMU is @pmu (NULL: the metric without a PMU). Returns NULL if no metric has this name.
 */
const struct metric_def *metric_table__find(const struct metric_table *table, const char *name,
					    const char *pmu);

/*
 * Returns whether @list contains @name, ignoring case. The names in @list are separated by ; and
 * optional white space.
 */
bool metric_table__list_has(const char *list, const char *name);
/*
 * Returns the first name in @list and sets *@len to its length. Returns NULL if @list is NULL or
 * empty. Names are separated by ; and optional white space. The rest of the list begins *@len bytes
 * after the start of the name.
 */
const char *metric_table__next_name(const char *list, size_t *len);

#endif
