// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the events `user_time` and `system_time` from the same files as perf stat: /proc/stat for
 * CPUs, and /proc/PID/stat for existing tasks (-p, -t). The times in both files are in clock ticks,
 * which are usually 10 ms long (proc(5)). For a command, backend-tool.c gets exact times from
 * getrusage(2).
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

/* in clock ticks, except in place.sums and in the result of place__total(), where the unit is ns */
struct cpu_time {
	uint64_t user, system;
};

/* The CPU time that was spent on one counted CPU or by one counted task. */
struct place {
	bool is_known;	       /* `start` is valid */
	struct cpu_time start; /* the first reading since counting was last enabled */
	/* the latest reading; kept when the CPU goes offline or the task ends */
	struct cpu_time latest;
	/* the CPU time, in ns, of all finished periods in which counting was enabled */
	struct cpu_time sums;
};

struct cputime_group {
	const struct stat_config *cfg;
	bool on;
	uint64_t wall_start, wall_sum;
	uint64_t ns_per_tick;
	int nr_threads;
	int nr; /* the number of places: CPUs × threads */
	struct place places[];
};

static int cputime__open(struct backend_group *group, const struct stat_config *cfg)
{
	int nr_threads = stat_config__per_task(cfg) && group->threads ? group->threads->nr : 1;
	size_t nr = (size_t)group->cpus->nr * (size_t)nr_threads;
	struct cputime_group *priv = calloc(1, sizeof(*priv) + sizeof(priv->places[0]) * nr);

	group->priv = priv;
	if (!priv)
		return -ENOMEM;
	priv->cfg = cfg;
	priv->ns_per_tick = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	priv->nr_threads = nr_threads;
	priv->nr = (int)nr;
	return 0;
}

static void see(struct cputime_group *priv, int place, const struct cpu_time *now)
{
	struct place *p = &priv->places[place];

	if (!p->is_known)
		p->start = *now;
	p->is_known = true;
	p->latest = *now;
}

/*
 * Parses /proc/stat, which has a line such as "cpu3 USER NICE SYSTEM …" for each online CPU.
 * Returns 0 or -errno.
 */
static int read_lines(struct backend_group *group, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	int err;

	errno = 0;
	while (getline(&line, &room, file) > 0) {
		struct cpu_time now;
		int cpu, index;

		if (sscanf(line, "cpu%d %" SCNu64 " %*u %" SCNu64, &cpu, &now.user, &now.system) !=
		    3)
			continue;
		index = cpumap__index(group->cpus, cpu);
		if (index >= 0)
			see(group->priv, index, &now);
	}
	err = feof(file) ? 0 : -(errno ?: EIO);
	free(line);
	return err;
}

static int read_cpus(struct backend_group *group)
{
	const char *root = sysroots__host()->procfs;
	char path[PATH_MAX];
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "%s/stat", root);
	file = fopen(path, "re");
	err = file ? read_lines(group, file) : -errno;
	if (file)
		fclose(file);
	return reason__set(group->why, err, "cannot read %s: %s", path, strerror(-err));
}

/*
 * Parses the CPU times in /proc/PID/stat (fields 14 and 15). Field 2 is the task's name, in
 * parentheses. The name can contain any characters, so parsing starts after the last ')'. Returns
 * false if @text is malformed.
 */
static bool parse_task(const char *text, struct cpu_time *now)
{
	const char *fields = strrchr(text, ')');

	return fields && sscanf(fields + 1,
				" %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
				&now->user, &now->system) == 2;
}

/*
 * Reads the CPU times of the thread with the index @thread. If whole processes are counted (-p
 * without --per-thread), a main thread gets the times of its process, and the other threads get
 * none. (The times of a process include those of new threads and of threads that have ended.) If
 * the thread or process no longer exists, keeps the latest reading.
 */
static void read_task(struct backend_group *group, int thread)
{
	struct cputime_group *priv = group->priv;
	bool whole = priv->cfg->whole_processes && !group->subjects;
	pid_t tid = group->threads->tids[thread];
	char path[64], text[1024];
	struct cpu_time now;

	if (whole && threadmap__process_of(sysroots__host(), tid) != tid)
		return;
	if (whole)
		snprintf(path, sizeof(path), "%d/stat", (int)tid);
	else
		snprintf(path, sizeof(path), "%d/task/%d/stat", (int)tid, (int)tid);
	if (sysfs__read(sysroots__tasks(sysroots__host()), path, text, sizeof(text)) > 0 &&
	    parse_task(text, &now))
		see(priv, thread, &now);
}

static int read_places(struct backend_group *group)
{
	struct cputime_group *priv = group->priv;

	if (!stat_config__per_task(priv->cfg))
		return read_cpus(group);
	for (int thread = 0; group->threads && thread < priv->nr_threads; thread++)
		read_task(group, thread);
	return 0;
}

static int cputime__enable(struct backend_group *group)
{
	struct cputime_group *priv = group->priv;

	if (priv->on)
		return 0;
	for (int i = 0; i < priv->nr; i++)
		priv->places[i].is_known = false;
	priv->on = true;
	priv->wall_start = clock__now();
	return read_places(group);
}

static struct cpu_time place__total(const struct cputime_group *priv, const struct place *place)
{
	struct cpu_time total = place->sums;

	if (priv->on && place->is_known) {
		total.user += (place->latest.user - place->start.user) * priv->ns_per_tick;
		total.system += (place->latest.system - place->start.system) * priv->ns_per_tick;
	}
	return total;
}

static int cputime__read(struct backend_group *group)
{
	struct cputime_group *priv = group->priv;
	uint64_t wall = priv->wall_sum + (priv->on ? clock__now() - priv->wall_start : 0);
	int err = priv->on ? read_places(group) : 0;

	for (int i = 0; !err && i < priv->nr; i++) {
		struct cpu_time total = place__total(priv, &priv->places[i]);
		int cpu = i / priv->nr_threads, thread = i % priv->nr_threads;

		for (int event = 0; event < group->nr; event++) {
			bool user = group->evsels[event]->tool == TOOL_USER_TIME;
			struct reading reading = { user ? total.user : total.system, wall, wall };

			counts__set(group->counts[event], cpu, thread, &reading);
		}
	}
	return err;
}

static int cputime__disable(struct backend_group *group)
{
	struct cputime_group *priv = group->priv;
	int err = priv->on ? read_places(group) : 0;

	for (int i = 0; priv->on && i < priv->nr; i++)
		priv->places[i].sums = place__total(priv, &priv->places[i]);
	if (priv->on)
		priv->wall_sum += clock__now() - priv->wall_start;
	priv->on = false;
	return err;
}

static void cputime__close(struct backend_group *group)
{
	free(group->priv);
	group->priv = NULL;
}

const struct counter_backend backend_cputime = {
	.name = "cputime",
	.by_subject = true,
	.open = cputime__open,
	.enable = cputime__enable,
	.read = cputime__read,
	.disable = cputime__disable,
	.close = cputime__close,
};
