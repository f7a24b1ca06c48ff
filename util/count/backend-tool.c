// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tool events: times that pstat measures without perf events, and values, such as the number of
 * CPUs, that pstat reads from files (tool-figure.h).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "util/base/clock.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/gate.h"
#include "util/count/stat-config.h"
#include "util/count/tool-figure.h"
#include "util/event/evsel.h"

/*
 * `sums` are the total times of all finished periods in which the group was enabled. `starts` are
 * the values of the clocks when the group was last enabled. Both arrays are indexed by enum
 * tool_event, and their values are in ns.
 */
struct tool_group {
	bool on;
	uint64_t sums[TOOL_RUN_CNT];
	uint64_t starts[TOOL_RUN_CNT];
	struct tool_figure figures[]; /* [event]; unused if the event is a time */
};

static int tool__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct tool_group *priv =
		calloc(1, sizeof(*priv) + sizeof(priv->figures[0]) * (size_t)group->nr);

	group->priv = priv;
	if (!priv)
		return -ENOMEM;
	for (int event = 0; event < group->nr; event++)
		priv->figures[event].fd = -1;
	for (int event = 0; event < group->nr; event++) {
		const struct evsel *evsel = group->evsels[event];
		const char *why = "--start and --stop cannot select a part of this time";
		bool whole = evsel->tool == TOOL_USER_TIME || evsel->tool == TOOL_SYSTEM_TIME;
		int err = cfg->points && whole ?
				  -EOPNOTSUPP :
				  tool_figure__open(&priv->figures[event], evsel, cfg, &why);

		if (err == -ENOMEM)
			return -ENOMEM;
		if (err)
			counts__set_unsupported(group->counts[event], err, why);
	}
	return 0;
}

/*
 * Reads the current time, and the user and system times of all child processes that pstat has
 * reaped. So the CPU time of the command is included only after pstat has reaped the command.
 */
static void read_clocks(uint64_t *now)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	now[TOOL_DURATION_TIME] = clock__now();
	now[TOOL_USER_TIME] = clock__of_timeval(&usage.ru_utime);
	now[TOOL_SYSTEM_TIME] = clock__of_timeval(&usage.ru_stime);
}

static int tool__enable(struct backend_group *group)
{
	struct tool_group *priv = group->priv;

	if (!priv->on)
		read_clocks(priv->starts);
	priv->on = true;
	return 0;
}

static uint64_t tool__total(const struct tool_group *priv, enum tool_event tool,
			    const uint64_t *now)
{
	return priv->sums[tool] + (priv->on ? now[tool] - priv->starts[tool] : 0);
}

static int tool__read(struct backend_group *group)
{
	struct tool_group *priv = group->priv;
	const struct gate *gate = *group->gate;
	uint64_t now[TOOL_RUN_CNT], wall;

	read_clocks(now);
	wall = gate ? gate__time(gate) : tool__total(priv, TOOL_DURATION_TIME, now);
	for (int event = 0; event < group->nr; event++) {
		struct reading total = { .enabled = wall, .running = wall };

		if (group->counts[event]->open_err)
			continue;
		if (gate && group->evsels[event]->tool == TOOL_DURATION_TIME)
			total.value = wall;
		else if (!tool_event__is_figure(group->evsels[event]->tool))
			total.value = tool__total(priv, group->evsels[event]->tool, now);
		else if (tool_figure__read(&priv->figures[event], group->threads, &total.value))
			total.running = 0;
		counts__set(group->counts[event], 0, 0, &total);
	}
	return 0;
}

static int tool__disable(struct backend_group *group)
{
	struct tool_group *priv = group->priv;
	uint64_t now[TOOL_RUN_CNT];

	read_clocks(now);
	for (int tool = TOOL_DURATION_TIME; tool < TOOL_RUN_CNT; tool++)
		priv->sums[tool] = tool__total(priv, (enum tool_event)tool, now);
	priv->on = false;
	return 0;
}

static void tool__close(struct backend_group *group)
{
	struct tool_group *priv = group->priv;

	for (int event = 0; priv && event < group->nr; event++)
		tool_figure__close(&priv->figures[event]);
	free(priv);
	group->priv = NULL;
}

const struct counter_backend backend_tool = {
	.name = "tool",
	.cpus = CPUS_NEVER,
	.threads = THREADS_TOGETHER,
	.open = tool__open,
	.enable = tool__enable,
	.read = tool__read,
	.disable = tool__disable,
	.close = tool__close,
};
