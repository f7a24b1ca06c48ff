/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes one metric of a set: compiles its expressions and finds the events that it needs. */
#ifndef PSTAT_METRIC_MAKE_H
#define PSTAT_METRIC_MAKE_H

struct metric_chosen;
struct metric_def;
struct metric_set_config;
struct strbuf;

/* A metric to be made: its definition, the name and modifier from the user, and the core PMU. */
struct metric_wanted {
	const struct metric_def *def;
	const char *asked;
	const char *modifier; /* NULL without */
	const char *pmu;      /* NULL: any PMU that has the events */
};

/*
 * Returns 0; -EINVAL after filling @why, if the metric's expressions make no sense; or -ENOMEM. In
 * all cases, @metric has to be cleared at the end.
 */
int metric_chosen__make(const struct metric_set_config *config, const struct metric_wanted *wanted,
			struct metric_chosen *metric, struct strbuf *why);
void metric_chosen__clear(struct metric_chosen *metric);

/* Lists the events of metric->ids. To be called after events were added there. 0 or -ENOMEM. */
int metric_chosen__list_events(struct metric_chosen *metric);
/*
 * Finds the events of the expressions in the final list of events. Without all its events, there is
 * no threshold (--metric-no-threshold). Returns 0 or -ENOMEM.
 */
int metric_chosen__find_places(struct metric_chosen *metric);

#endif
