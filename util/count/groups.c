// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/groups.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/counts.h"
#include "util/count/cpu-watch.h"
#include "util/count/exec-loss.h"
#include "util/count/groups-priv.h"
#include "util/count/stat-config.h"
#include "util/count/wakeups.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

/*
 * Stores a general reason for @err if the backend has not stored a reason. Stores nothing if @err
 * is -ENOMEM or -EINTR (a signal interrupted pstat). Returns @err.
 */
static int check(const struct backend_group *group, const char *step, int err)
{
	if (err == -ENOMEM || err == -EINTR)
		return err;
	return reason__set(group->why, err, "%s: cannot %s the counters: %s", group->ops->name,
			   step, strerror(-err));
}

bool groups__is_used(const struct backend_group *group)
{
	return !group->is_out && (group->nr || (group->runs && group->runs->counts));
}

typedef int (*step_fn)(struct backend_group *group);

/*
 * Calls one function of struct counter_backend for each used group whose backend has this function.
 * Stops if a call fails. @step is the offset of the function pointer in the struct. @name is a verb
 * for the reason that check() stores. Returns 0, or the -errno of the failed call.
 */
static int run_step(struct groups *g, const char *name, size_t step)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++) {
		struct backend_group *group = &g->groups[i];
		step_fn run;

		memcpy(&run, (const char *)group->ops + step, sizeof(run));
		if (groups__is_used(group) && run)
			err = check(group, name, run(group));
	}
	return err;
}

/*
 * Returns whether any group needs to know the online CPUs: its counts have a row for each CPU, or
 * its backend sets needs_online.
 */
static bool cares_for_cpus(const struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (groups__is_used(&g->groups[i]) &&
		    (g->groups[i].cpus == g->cpus || g->groups[i].ops->needs_online))
			return true;
	return false;
}

/*
 * Makes each group point to the current set of online CPUs. Makes the measurement point to the set
 * of CPUs that have been online at any time so far.
 */
static void share_online(struct groups *g)
{
	g->measurement.seen = g->online.seen;
	for (size_t i = 0; i < NR_BACKENDS; i++)
		g->groups[i].online = g->online.now;
}

/*
 * Handles @err, the error with which opening @group failed. If stat_config.keeps_going is set and
 * @err is not -ESTALE, -ENOMEM or -EINTR, closes the group, marks its events as unsupported (or
 * warns, if it has no events) and returns 0. The session then counts the events of the other
 * groups. Otherwise, returns @err, which ends the session.
 */
static int leave_out(struct groups *g, struct backend_group *group, int err)
{
	if (!g->cfg->keeps_going || err == -ESTALE || err == -ENOMEM || err == -EINTR)
		return err;
	group->ops->close(group);
	group->is_out = true;
	for (int i = 0; i < group->nr; i++)
		counts__set_unsupported(group->counts[i], err, g->why->text);
	if (!group->nr)
		pr_warn("%s", g->why->text);
	strbuf__reset(g->why);
	strbuf__reset(g->perf_words);
	return 0;
}

/*
 * If stat_config.keeps_going is set and there are events, but none of them is open, stores the
 * reason and returns -errno. Otherwise, returns 0.
 */
static int check_any(struct groups *g)
{
	const struct counts *first = g->evlist->nr ? g->events[0] : NULL;

	for (int i = 0; i < g->evlist->nr; i++)
		if (!g->events[i]->open_err)
			return 0;
	if (!g->cfg->keeps_going || !first)
		return 0;
	return reason__set(g->why, first->open_err, "none of the events can be counted: %s",
			   first->why_not ?: strerror(-first->open_err));
}

int groups__open(struct groups *g, const struct threadmap *threads, const struct session_sink *sink)
{
	bool changed = false;
	int err;

	for (size_t i = 0; i < NR_BACKENDS; i++)
		g->groups[i].is_out = false;
	groups__suspend(g);
	err = cares_for_cpus(g) ? online_cpus__start(&g->online, &changed, g->why) : 0;
	/*
	 * close suspended groups, because they may hold events of CPUs that went offline; these
	 * events never count again
	 */
	if (changed)
		groups__close(g);
	share_online(g);
	for (int i = 0; i < g->evlist->nr; i++)
		counts__reset(g->events[i]);
	if (g->runs.counts)
		counts__reset(g->runs.counts);
	if (g->hist.rows)
		hist_rows__reset(&g->hist);
	for (size_t i = 0; !err && i < NR_BACKENDS; i++) {
		struct backend_group *group = &g->groups[i];

		group->sink = sink;
		group->threads = group->ops->threads != THREADS_UNUSED ? threads : NULL;
		if (groups__is_used(group))
			err = check(group, "open", group->ops->open(group, g->cfg));
		if (err)
			err = leave_out(g, group, err);
	}
	return err ?: check_any(g);
}

int groups__enable(struct groups *g)
{
	return run_step(g, "enable", offsetof(struct counter_backend, enable));
}

int groups__at_exec(struct groups *g, pid_t pid)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (groups__is_used(&g->groups[i]) && g->groups[i].ops->at_exec)
			err = check(&g->groups[i], "update",
				    g->groups[i].ops->at_exec(&g->groups[i], pid));
	return err;
}

int groups__wake_fd(const struct groups *g)
{
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < NR_BACKENDS; i++)
		if (groups__is_used(&g->groups[i]) && g->groups[i].ops->wake_fd)
			fd = g->groups[i].ops->wake_fd(&g->groups[i]);
	return fd;
}

int groups__serve(struct groups *g)
{
	return run_step(g, "serve", offsetof(struct counter_backend, serve));
}

int groups__cpus_fd(const struct groups *g)
{
	return g->online.watch ? cpu_watch__fd(g->online.watch) : -1;
}

/* Updates all groups after the set of online CPUs has changed to @online. Returns 0 or -errno. */
static int change_cpus(struct groups *g, const struct cpumap *online)
{
	int err = 0;

	if (cpumap__equal(g->online.now, online))
		return 0;
	for (size_t i = 0; !err && i < NR_BACKENDS; i++) {
		struct backend_group *group = &g->groups[i];

		if (groups__is_used(group) && group->ops->cpus_changed)
			err = check(group, "update", group->ops->cpus_changed(group, online));
	}
	/* log the changes only now, because the messages describe what the groups have just done */
	if (!err)
		online_cpus__log_changes(&g->online, g->cpus, online);
	err = err ?: online_cpus__set(&g->online, online);
	share_online(g);
	return err;
}

int groups__follow_cpus(struct groups *g)
{
	bool changed = false;
	int err = g->online.watch ? cpu_watch__check(g->online.watch, &changed) : 0;

	if (err)
		return reason__set(
			g->why, err,
			"cannot read which CPUs are online (/sys/devices/system/cpu/online): %s",
			strerror(-err));
	if (!changed)
		return 0;
	/*
	 * first remove the CPUs that were offline, even if they are online again; then add the CPUs
	 * that came online
	 */
	err = change_cpus(g, cpu_watch__stayed(g->online.watch));
	return err ?: change_cpus(g, cpu_watch__online(g->online.watch));
}

int groups__read(struct groups *g)
{
	return run_step(g, "read", offsetof(struct counter_backend, read));
}

int groups__read_lost(struct groups *g)
{
	return run_step(g, "read", offsetof(struct counter_backend, read_lost));
}

/*
 * Returns whether the kernel can remove the event at an exec, and a short enabled time would show
 * the removal. Returns false for a pinned event, whose enabled time can also be short because the
 * kernel disables pinned events when no counter is free.
 */
static bool can_lose(const struct backend_group *group, int event)
{
	return group->ops->loses_at_exec && !group->evsels[event]->attr.attr.pinned;
}

/* ---- CPU time that was not counted ---- */

/*
 * The kernel enables the events of a task only after the fork, and disables them before the task
 * ends. So a part of each task's CPU time is never counted. If the task runs only very briefly,
 * this can be a large part. pstat therefore ignores a loss of less than LEAST_LOSS_NS, unless it
 * knows that the kernel removes the events at the command's own exec (exec_loss.change).
 */
#define LEAST_LOSS_NS (10 * NSEC_PER_MSEC)

static bool may_be_short(const struct exec_loss *loss, uint64_t enabled)
{
	return enabled && enabled < loss->cpu_ns / 2;
}

static bool is_short(const struct exec_loss *loss, uint64_t enabled)
{
	if (!may_be_short(loss, enabled))
		return false;
	return loss->change != EXEC_SAME || loss->cpu_ns - enabled >= LEAST_LOSS_NS;
}

bool exec_loss__suspects(const struct exec_loss *loss, const struct counts *counts)
{
	for (int row = 0; row < counts->cpus->nr; row++)
		for (int column = 0; column < counts->nr_columns; column++)
			if (may_be_short(loss, counts__total(counts, row, column).enabled))
				return true;
	return false;
}

void exec_loss__apply(struct exec_loss *loss, struct counts *counts)
{
	for (int row = 0; row < counts->cpus->nr; row++) {
		for (int column = 0; column < counts->nr_columns; column++) {
			struct reading reading = counts__total(counts, row, column);

			if (!reading.enabled)
				continue;
			if (reading.enabled > loss->counted_ns)
				loss->counted_ns = reading.enabled;
			if (!is_short(loss, reading.enabled))
				continue;
			loss->found = true;
			if (loss->change != EXEC_SAME) {
				reading = (struct reading){ 0 };
			} else {
				reading.enabled = loss->cpu_ns;
				counts->no_scale = true;
			}
			counts__set_row(counts, row, column, &reading);
		}
	}
}

bool groups__suspect_loss(const struct groups *g, const struct exec_loss *loss)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		for (int event = 0; event < g->groups[i].nr; event++)
			if (can_lose(&g->groups[i], event) &&
			    exec_loss__suspects(loss, g->groups[i].counts[event]))
				return true;
	return false;
}

void groups__apply_loss(struct groups *g, struct exec_loss *loss)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		for (int event = 0; event < g->groups[i].nr; event++)
			if (can_lose(&g->groups[i], event))
				exec_loss__apply(loss, g->groups[i].counts[event]);
}

bool groups__need_tending(const struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (groups__is_used(&g->groups[i]) && g->groups[i].ops->tend &&
		    g->groups[i].ops->needs_tending(g->cfg))
			return true;
	return false;
}

int groups__tend(struct groups *g)
{
	return run_step(g, "tend", offsetof(struct counter_backend, tend));
}

int groups__disable(struct groups *g)
{
	return run_step(g, "disable", offsetof(struct counter_backend, disable));
}

int groups__stop(struct groups *g)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++) {
		struct backend_group *group = &g->groups[i];

		if (groups__is_used(group))
			err = check(group, "disable",
				    (group->ops->stop ?: group->ops->disable)(group));
	}
	return err;
}

void groups__close(struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (groups__is_used(&g->groups[i]))
			g->groups[i].ops->close(&g->groups[i]);
}

void groups__suspend(struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++) {
		const struct counter_backend *ops = g->groups[i].ops;

		if (groups__is_used(&g->groups[i]))
			(ops->suspend ?: ops->close)(&g->groups[i]);
	}
}

const struct gate *groups__gate(const struct groups *g)
{
	return g->gate;
}

void groups__mark(struct groups *g)
{
	for (int i = 0; i < g->evlist->nr; i++)
		counts__mark(g->events[i]);
	if (g->runs.counts)
		counts__mark(g->runs.counts);
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (groups__is_used(&g->groups[i]) && g->groups[i].ops->mark)
			g->groups[i].ops->mark(&g->groups[i]);
	hist_rows__mark(&g->hist);
	subjects__mark(&g->subjects);
}

struct measurement *groups__measurement(struct groups *g)
{
	return &g->measurement;
}
