/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes one metric of a set: compiles its expressions and finds the events that it needs. */
#ifndef PSTAT_METRIC_MAKE_H
#define PSTAT_METRIC_MAKE_H

struct metric_chosen;
struct metric_def;
struct metric_set_config;
struct strbuf;

/* A metric to make: its definition, the user's name and modifier, and the core PMU. */
struct metric_wanted {
	const struct metric_def *def;
	const char *asked;
	const char *modifier; /* or NULL */
	const char *pmu;      /* NULL: any PMU that has the events */
};

/*
 * Returns 0; -EINVAL, with the reason in @why, if the expressions are malformed; or -ENOMEM. Clear
 * @metric in all cases.
 */
int metric_chosen__make(const struct metric_set_config *config, const struct metric_wanted *wanted,
			struct metric_chosen *metric, struct strbuf *why);
void metric_chosen__clear(struct metric_chosen *metric);

/* Lists the events of metric->ids. Call this after adding events to it. Returns 0 or -ENOMEM. */
int metric_chosen__list_events(struct metric_chosen *metric);
/*
 * Finds the events of the expressions in the final list of events. Drops the threshold if one of
 * its events is missing (--metric-no-threshold). Returns 0 or -ENOMEM.
 */
int metric_chosen__find_places(struct metric_chosen *metric);

#endif
