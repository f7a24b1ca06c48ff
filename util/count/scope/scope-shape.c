// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-shape.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "bpf_skel/branches.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/hist-counts.h"
#include "util/count/outliers.h"
#include "util/count/share/run-words.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

#define TIMED_WORDS 3

/*
 * Returns whether the event had to wait for a hardware counter for more than 1/16 of the time on
 * any CPU. Also returns true if the event cannot be read.
 */
static bool is_waiting(const struct event_fds *fds, const struct backend_group *group, int event)
{
	for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
		int fd = event_fds__get(fds, event, cpu, 0);
		struct reading now;

		if (fd >= 0 &&
		    (event_fds__read_fd(fd, &now) || now.running < now.enabled - now.enabled / 16))
			return true;
	}
	return false;
}

static bool some_wait(const struct event_fds *fds, const struct backend_group *group)
{
	for (int event = 0; event < group->nr; event++)
		if (group->evsels[event]->tool == TOOL_NONE &&
		    !evsel__always_counts(group->evsels[event]) && is_waiting(fds, group, event))
			return true;
	return false;
}

static enum scope_kind kind_of(const struct backend_group *group, int event, bool crowded)
{
	const struct evsel *evsel = group->evsels[event];

	if (evsel->tool == TOOL_SCOPE_TIME)
		return SCOPE_WALL;
	if (evsel->tool != TOOL_NONE || group->counts[event]->open_err)
		return SCOPE_NONE;
	if (evsel__is_clock(evsel))
		return SCOPE_CLOCK;
	if (evsel__counts_switches(evsel))
		return SCOPE_SWITCHES;
	/*
	 * BPF programs read a SCOPE_PLAIN event with bpf_perf_event_read(), which returns errors as
	 * very large counts. A count that does not start at 0 (evsel->snapshot) could look like an
	 * error. So the programs read such an event with bpf_perf_event_read_value(), as a
	 * SCOPE_TIMED event.
	 */
	return evsel->snapshot || (crowded && !evsel__always_counts(evsel)) ? SCOPE_TIMED :
									      SCOPE_PLAIN;
}

/* Sets `number` and `word` of each event. The caller must have set `kind` of each event. */
static void number_events(struct scope_shape *shape, int nr)
{
	const struct scope_words *words = &shape->words;
	int clock = (int)(words->plain + TIMED_WORDS * words->timed), plain = 0, timed = 0;

	for (int i = 0; i < nr; i++) {
		struct scope_event *event = &shape->events[i];

		if (event->kind == SCOPE_CLOCK)
			event->word = clock;
		if (event->kind == SCOPE_SWITCHES)
			event->word = clock + (int)words->clock;
		if (event->kind == SCOPE_WALL)
			event->word = clock + (int)(words->clock + words->switches);
		if (event->kind == SCOPE_PLAIN) {
			event->word = plain;
			event->number = plain++;
		}
		if (event->kind == SCOPE_TIMED) {
			event->word = (int)words->plain + TIMED_WORDS * timed;
			event->number = (int)words->plain + timed++;
		}
	}
}

static int word_of(const void *shape, int event)
{
	const struct scope_event *found = &((const struct scope_shape *)shape)->events[event];

	if (found->kind == SCOPE_NONE)
		return -ENOENT;
	return found->kind == SCOPE_TIMED ? -EBUSY : found->word;
}

int scope_shape__init(struct scope_shape *shape, const struct backend_group *group,
		      const struct event_fds *fds, const struct stat_config *cfg)
{
	bool crowded = some_wait(fds, group);
	struct scope_words *words = &shape->words;
	int err;

	shape->events = calloc((size_t)group->nr + 1, sizeof(*shape->events));
	if (!shape->events)
		return -ENOMEM;
	/* each record of --outliers contains the times at which the run began and ended */
	words->wall = cfg->outliers != NULL;
	for (int i = 0; i < group->nr; i++) {
		enum scope_kind kind = kind_of(group, i, crowded);

		shape->events[i].kind = kind;
		words->wall |= kind == SCOPE_WALL;
		words->clock |= kind == SCOPE_CLOCK;
		words->switches |= kind == SCOPE_SWITCHES;
		words->plain += kind == SCOPE_PLAIN;
		words->timed += kind == SCOPE_TIMED;
	}
	words->words = words->wall + words->clock + words->switches + words->plain +
		       TIMED_WORDS * words->timed;
	if (words->words > SCOPE_MAX_WORDS)
		return reason__set(group->why, -E2BIG,
				   "--scope: cannot read %d events at each point: the limit is %d, "
				   "or %d if events share counters\ncount fewer events",
				   group->nr, SCOPE_MAX_WORDS, SCOPE_MAX_WORDS / TIMED_WORDS);
	if (crowded)
		pr_info("--scope: there are not enough counters for all events at once: pstat also "
			"reads for how long each event had a counter");
	number_events(shape, group->nr);
	shape->outliers = cfg->outliers;
	shape->branches = cfg->outliers && cfg->outliers->branches;
	err = run_words__find(group, cfg->outliers, word_of, shape, &shape->hist_word,
			      &shape->outlier_word);
	if (err)
		return err;
	/*
	 * if --outliers compares the times of runs, replace the index 0 that run_words__find() has
	 * stored: the wall time is the last word of a reading (struct scope_words)
	 */
	if (cfg->outliers && !cfg->outliers->evsel) {
		shape->outlier_word = (int)words->words - 1;
		if (cfg->outliers->by_percentile)
			shape->hist_word = shape->outlier_word;
	}
	shape->costs = calloc(words->words + 1, sizeof(*shape->costs));
	return shape->costs ? 0 : -ENOMEM;
}

/* ---- cgroups ---- */

/*
 * Adds a set of sums (scope_shape.nr_sets) for the runs in @cgroup. Returns the index of the set,
 * or -errno.
 */
static int add_set(struct scope_shape *shape, const struct backend_group *group,
		   const struct cgroup *cgroup)
{
	if (shape->nr_cgroups == PROG_MAX_CGROUPS - 1)
		return reason__set(group->why, -E2BIG,
				   "--scope: runs can be counted for at most %d cgroups",
				   PROG_MAX_CGROUPS - 1);
	shape->cgroups[shape->nr_cgroups] = cgroup;
	return shape->nr_cgroups++;
}

/* Returns the index of the set of sums for @cgroup, or -errno. If @cgroup has no set, adds one. */
static int set_of(struct scope_shape *shape, const struct backend_group *group,
		  const struct cgroup *cgroup)
{
	for (int set = 0; set < shape->nr_cgroups; set++)
		if (shape->cgroups[set] == cgroup)
			return set;
	return add_set(shape, group, cgroup);
}

int scope_shape__list_cgroups(struct scope_shape *shape, const struct backend_group *group,
			      const struct stat_config *cfg)
{
	bool some_without = false;
	int set = 0;

	for (int i = 0; set >= 0 && i < cfg->nr_each_cgroup; i++)
		set = add_set(shape, group, cfg->each_cgroup[i]);
	for (int i = 0; set >= 0 && cfg->in_cgroups && i < group->nr; i++) {
		const struct cgroup *cgroup = group->evsels[i]->cgroup;

		some_without |= !cgroup;
		set = cgroup ? set_of(shape, group, cgroup) : 0;
		shape->events[i].set = set;
	}
	if (set < 0)
		return set;
	for (int i = 0; some_without && i < group->nr; i++)
		if (!group->evsels[i]->cgroup)
			shape->events[i].set = shape->nr_cgroups;
	shape->nr_sets = shape->nr_cgroups + (some_without || !shape->nr_cgroups);
	return 0;
}

void scope_shape__free(struct scope_shape *shape)
{
	free(shape->events);
	free(shape->costs);
	*shape = (struct scope_shape){ .hist_word = -1, .outlier_word = -1 };
}

/* ---- sizes and offsets ---- */

static size_t row_size(const struct scope_shape *shape)
{
	return sizeof(uint64_t) * (shape->words.words ?: 1);
}

size_t scope_shape__thread_size(const struct scope_shape *shape, uint32_t depth)
{
	return sizeof(struct scope_task) + SCOPE_ROWS(depth) * row_size(shape) +
	       (shape->outlier_word >= 0 ? scope_shape__outlier_size(shape) : 0);
}

size_t scope_shape__branches_at(const struct scope_shape *shape)
{
	return sizeof(struct scope_outlier) + row_size(shape);
}

size_t scope_shape__outlier_size(const struct scope_shape *shape)
{
	return scope_shape__branches_at(shape) +
	       (shape->branches ? sizeof(struct branch_block) : 0);
}

size_t scope_shape__totals_size(const struct scope_shape *shape)
{
	return sizeof(struct scope_totals) + row_size(shape) +
	       (shape->hist_word >= 0 ? sizeof(uint64_t) * HIST_BUCKETS : 0);
}

const uint64_t *scope_shape__sums(const struct scope_totals *totals)
{
	return (const uint64_t *)(totals + 1);
}

const uint64_t *scope_shape__buckets(const struct scope_shape *shape,
				     const struct scope_totals *totals)
{
	return (const uint64_t *)((const char *)(totals + 1) + row_size(shape));
}

void scope_shape__subtract(const struct scope_shape *shape, int word, uint64_t runs, uint64_t inner,
			   uint64_t nested, struct reading *sum)
{
	const struct scope_cost *of = &shape->costs[word];
	uint64_t cost = runs * of->own + inner * of->inner + nested * of->nested;

	if (sum->running < sum->enabled)
		cost = (uint64_t)((double)cost * (double)sum->running / (double)sum->enabled);
	/*
	 * the sum can be negative, because the BPF programs may already have subtracted a part of
	 * the cost, which is only an estimate
	 */
	sum->value = (int64_t)sum->value > (int64_t)cost ? sum->value - cost : 0;
}

void scope_shape__refuse_uncore(const struct backend_group *group)
{
	static const char why[] = "it counts a whole package, not a thread";

	for (int event = 0; event < group->nr; event++) {
		if (!group->evsels[event]->is_uncore)
			continue;
		pr_info("%s: %s", group->evsels[event]->name, why);
		counts__set_unsupported(group->counts[event], -EOPNOTSUPP, why);
	}
}
