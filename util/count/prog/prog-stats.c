// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-stats.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/bpf/bpf-prog-facts.h"
#include "util/machine/bpf/bpf-prog.h"

struct prog_stats_keeper {
	/*
	 * the fd of BPF_ENABLE_STATS; negative: pstat could not open it, but the administrator has
	 * enabled the statistics
	 */
	int fd;
};

struct prog_stats {
	char *why;
	bool on;
	struct prog_stats_sum sum;   /* the sums of all periods until the latest stop */
	struct prog_stats_sum start; /* the kernel's values at the latest start */
};

/* ---- what can be counted ---- */

bool prog_stats__have(const struct evsel *evsel)
{
	return evsel->tool == TOOL_RUN_CNT || (evsel->tool == TOOL_NONE && evsel__is_clock(evsel));
}

/* Returns the reason why the session's options rule out the statistics, or NULL if they do not. */
static const char *what_is_against(const struct stat_config *cfg)
{
	if (cfg->threads)
		return "they have no counts for single tasks (-p, -t)";
	if (cfg->in_cgroups || stat_config__for_each_cgroup(cfg))
		return "they have no counts for cgroups (-G, --for-each-cgroup)";
	if (cfg->cpus || cfg->aggr_mode != AGGR_GLOBAL)
		return "they are sums over all CPUs (-C, -A, --per-socket and similar options)";
	if (cfg->points)
		return "points cannot start and stop them (--start, --stop)";
	if (cfg->hist || cfg->outliers)
		return "they have no single runs (--hist, --outliers)";
	return NULL;
}

enum prog_stats_use prog_stats__use(const struct backend_group *group,
				    const struct stat_config *cfg, const char **why_not)
{
	int nr = 0;

	for (int i = 0; i < group->nr; i++)
		nr += prog_stats__have(group->evsels[i]);
	*why_not = what_is_against(cfg);
	if (!*why_not && group->nr && !nr)
		*why_not = "they have only run_cnt, task-clock and cpu-clock";
	if (*why_not)
		return PROG_STATS_NEVER;
	return nr == group->nr ? PROG_STATS_ANYWHERE : PROG_STATS_ALONE;
}

bool prog_stats__can(const struct bpf_prog *prog, int err)
{
	bool is_function = strchr(prog->name, ':');
	/*
	 * -EBUSY is missing on purpose: it means that another program replaces this program, which
	 * therefore does not run
	 */
	bool concerns_fentry = err == -ENOENT || err == -EOPNOTSUPP || err == -ENOTSUPP ||
			       err == -EPERM || err == -EACCES || err == -EINVAL;

	return concerns_fentry && !is_function;
}

/* ---- enabling the statistics ---- */

int prog_stats_keeper__start(struct prog_stats_keeper **keeper)
{
	struct prog_stats_keeper *new;
	int err = 0;

	if (*keeper)
		return 0;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (new->fd < 0)
		err = -errno;
	if (err && bpf_prog_facts__are_kept(sysroots__host()))
		err = 0;
	if (err) {
		pr_info("-b: the kernel does not keep run counts and times for pstat "
			"(BPF_ENABLE_STATS: %s)",
			strerror(-err));
		free(new);
		return err;
	}
	*keeper = new;
	return 0;
}

void prog_stats_keeper__free(struct prog_stats_keeper *keeper)
{
	if (!keeper)
		return;
	if (keeper->fd >= 0)
		close(keeper->fd);
	free(keeper);
}

/* ---- the statistics of one program ---- */

struct prog_stats *prog_stats__new(const char *why)
{
	struct prog_stats *stats = calloc(1, sizeof(*stats));

	if (!stats)
		return NULL;
	stats->why = strdup(why);
	if (stats->why)
		return stats;
	free(stats);
	return NULL;
}

void prog_stats__free(struct prog_stats *stats)
{
	if (!stats)
		return;
	free(stats->why);
	free(stats);
}

const char *prog_stats__why(const struct prog_stats *stats)
{
	return stats->why;
}

/*
 * Returns the kernel's statistics since the program was loaded. Reading them cannot fail, because
 * the program is open.
 */
static struct prog_stats_sum now(const struct bpf_prog *prog)
{
	struct bpf_prog_info info = {};

	bpf_prog__read_info(prog->fd, &info);
	return (struct prog_stats_sum){ .runs = info.run_cnt,
					.ns = info.run_time_ns,
					.missed = info.recursion_misses };
}

void prog_stats__start(struct prog_stats *stats, const struct bpf_prog *prog)
{
	if (!stats->on)
		stats->start = now(prog);
	stats->on = true;
}

void prog_stats__stop(struct prog_stats *stats, const struct bpf_prog *prog)
{
	stats->sum = prog_stats__read(stats, prog);
	stats->on = false;
}

struct prog_stats_sum prog_stats__read(const struct prog_stats *stats, const struct bpf_prog *prog)
{
	struct prog_stats_sum sum = stats->sum, end;

	if (!stats->on)
		return sum;
	end = now(prog);
	sum.runs += end.runs - stats->start.runs;
	sum.ns += end.ns - stats->start.ns;
	sum.missed += end.missed - stats->start.missed;
	return sum;
}
