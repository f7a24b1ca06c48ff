// SPDX-License-Identifier: GPL-2.0-only
/* The tool events: what pstat knows without the kernel's counters. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/event/evsel.h"

/* Readings at enable. */
struct tool_group {
	uint64_t start_ns;
	struct rusage start_usage;
};

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000000 + (uint64_t)tv->tv_usec * 1000;
}

static int tool__probe(struct strbuf *why_not)
{
	(void)why_not;
	return 0;
}

static int tool__open(struct backend_group *group, const struct stat_config *cfg)
{
	(void)cfg;
	group->priv = calloc(1, sizeof(struct tool_group));
	if (!group->priv) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	return 0;
}

static int tool__enable(struct backend_group *group)
{
	struct tool_group *priv = group->priv;

	priv->start_ns = clock__now();
	getrusage(RUSAGE_CHILDREN, &priv->start_usage);
	return 0;
}

/* The command's CPU times are known once it was waited for: until then they are what its ended children used. */
static uint64_t tool__value(enum tool_event tool, const struct tool_group *priv, uint64_t wall)
{
	struct rusage usage;

	if (tool == TOOL_DURATION_TIME)
		return wall;
	getrusage(RUSAGE_CHILDREN, &usage);
	if (tool == TOOL_USER_TIME)
		return timeval_ns(&usage.ru_utime) - timeval_ns(&priv->start_usage.ru_utime);
	return timeval_ns(&usage.ru_stime) - timeval_ns(&priv->start_usage.ru_stime);
}

static int tool__read(struct backend_group *group)
{
	struct tool_group *priv = group->priv;
	uint64_t wall = clock__now() - priv->start_ns;

	for (int event = 0; event < group->nr; event++) {
		struct reading total = {
			.value = tool__value(group->evsels[event]->tool, priv, wall),
			.enabled = wall,
			.running = wall,
		};

		counts__set(group->counts[event], 0, 0, &total);
	}
	return 0;
}

static int tool__disable(struct backend_group *group)
{
	(void)group;
	return 0;
}

static void tool__close(struct backend_group *group)
{
	free(group->priv);
	group->priv = NULL;
}

const struct counter_backend backend_tool = {
	.name = "tool",
	.probe = tool__probe,
	.open = tool__open,
	.enable = tool__enable,
	.read = tool__read,
	.disable = tool__disable,
	.close = tool__close,
};
