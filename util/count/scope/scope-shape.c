// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-shape.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/hist-counts.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

#define TIMED_WORDS 3

/* Does the event share its counter with others on some CPU? */
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
	/* an event that does not start at 0 may have a value that looks like an error */
	return evsel->snapshot || (crowded && !evsel__always_counts(evsel)) ? SCOPE_TIMED :
									      SCOPE_PLAIN;
}

/* Assigns numbers and words, after the kinds of all events are known. */
static void number_events(struct scope_shape *shape, int nr)
{
	const struct scope_words *words = &shape->words;
	int plain = 0, timed = 0;

	for (int i = 0; i < nr; i++) {
		struct scope_event *event = &shape->events[i];
		int first_plain = (int)(words->wall + words->clock);

		if (event->kind == SCOPE_CLOCK)
			event->word = (int)words->wall;
		if (event->kind == SCOPE_PLAIN) {
			event->word = first_plain + plain;
			event->number = plain++;
		}
		if (event->kind == SCOPE_TIMED) {
			event->word = first_plain + (int)words->plain + TIMED_WORDS * timed;
			event->number = (int)words->plain + timed++;
		}
	}
}

/* Returns the word of the event of --hist, or -1; -EBUSY if it has no counter of its own. */
static int place_hist(const struct scope_shape *shape, const struct backend_group *group)
{
	for (int i = 0; group->runs->hist && i < group->nr; i++) {
		if (group->evsels[i] != group->runs->hist->evsel)
			continue;
		if (shape->events[i].kind == SCOPE_TIMED)
			return reason__set(group->why, -EBUSY,
					   "--hist: %s shares its counter with other events, so it "
					   "cannot be counted in each run\ncount fewer events",
					   group->evsels[i]->name);
		/* the row of an event that is not open shows this, and -v prints the reason */
		return shape->events[i].kind == SCOPE_NONE ? -1 : shape->events[i].word;
	}
	return -1;
}

int scope_shape__init(struct scope_shape *shape, const struct backend_group *group,
		      const struct event_fds *fds)
{
	bool crowded = some_wait(fds, group);
	struct scope_words *words = &shape->words;

	shape->events = calloc((size_t)group->nr + 1, sizeof(*shape->events));
	if (!shape->events)
		return -ENOMEM;
	for (int i = 0; i < group->nr; i++) {
		enum scope_kind kind = kind_of(group, i, crowded);

		shape->events[i].kind = kind;
		words->wall |= kind == SCOPE_WALL;
		words->clock |= kind == SCOPE_CLOCK;
		words->plain += kind == SCOPE_PLAIN;
		words->timed += kind == SCOPE_TIMED;
	}
	words->words = words->wall + words->clock + words->plain + TIMED_WORDS * words->timed;
	if (words->words > SCOPE_MAX_WORDS)
		return reason__set(group->why, -E2BIG,
				   "--scope: %d events are too many to be read at each point: a "
				   "reading has room for %d, or for %d if they share counters\n"
				   "count fewer events",
				   group->nr, SCOPE_MAX_WORDS, SCOPE_MAX_WORDS / TIMED_WORDS);
	if (crowded)
		pr_info("--scope: there are not enough counters for all events: each event is read "
			"with the time for which it had a counter");
	number_events(shape, group->nr);
	shape->hist_word = place_hist(shape, group);
	if (shape->hist_word < -1)
		return shape->hist_word;
	shape->costs = calloc(words->words + 1, sizeof(*shape->costs));
	return shape->costs ? 0 : -ENOMEM;
}

void scope_shape__free(struct scope_shape *shape)
{
	free(shape->events);
	free(shape->costs);
	*shape = (struct scope_shape){ .hist_word = -1 };
}

static size_t row_size(const struct scope_shape *shape)
{
	return sizeof(uint64_t) * (shape->words.words ?: 1);
}

size_t scope_shape__thread_size(const struct scope_shape *shape)
{
	return sizeof(struct scope_task) + SCOPE_ROWS * row_size(shape);
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
