// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/stat-config.h"
#include "util/count/wakeups.h"
#include "util/count/workload.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpumap.h"
#include "util/machine/threadmap.h"

/* The backends that a session can have a group for; the order in which they are opened. */
static const struct counter_backend *const backends[] = { &backend_fd, &backend_prog, &backend_tool };
#define NR_BACKENDS (sizeof(backends) / sizeof(backends[0]))

struct session {
	const struct evlist *evlist;
	const struct stat_config *cfg;
	struct cpumap *cpus;		  /* rows of what is counted per CPU or, {-1}, per task */
	struct cpumap *no_cpus;		  /* {-1}: rows of the tool events */
	struct threadmap *command_thread; /* the held command, when tasks are counted */
	struct workload *workload;
	struct wakeups *wakeups;
	int nr_groups;
	struct backend_group groups[NR_BACKENDS];
	struct counts_set set;
	uint64_t start_ns;
	uint64_t last_ns; /* of the last interval, since start */
	uint64_t intervals;
	bool told_at_exec; /* what went wrong there */
};

static const struct threadmap *session__threads(const struct session *s)
{
	if (!stat_config__per_task(s->cfg))
		return NULL;
	return s->cfg->threads ?: s->command_thread;
}

static int make_cpus(struct session *s)
{
	int err = 0;

	s->no_cpus = cpumap__any();
	if (stat_config__per_task(s->cfg))
		s->cpus = cpumap__any();
	else if (s->cfg->cpus)
		s->cpus = cpumap__copy(s->cfg->cpus);
	else
		err = cpumap__online(sysroots__host(), &s->cpus);
	if (err)
		pr_err("cannot read the list of CPUs: %s", strerror(-err));
	return err ?: s->cpus && s->no_cpus ? 0 : -ENOMEM;
}

static int group__add(struct backend_group *group, struct evsel *evsel, struct counts *counts)
{
	size_t nr = (size_t)group->nr + 1;
	struct evsel **evsels = realloc(group->evsels, sizeof(*evsels) * nr);
	struct counts **all;

	if (!evsels)
		return -ENOMEM;
	group->evsels = evsels;
	all = realloc(group->counts, sizeof(*all) * nr);
	if (!all)
		return -ENOMEM;
	group->counts = all;
	evsels[group->nr] = evsel;
	all[group->nr++] = counts;
	return 0;
}

static struct backend_group *group__of(struct session *s, const struct counter_backend *ops)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (s->groups[i].ops == ops)
			return &s->groups[i];
	return NULL;
}

static void init_groups(struct session *s)
{
	for (size_t i = 0; i < NR_BACKENDS; i++) {
		bool tool = backends[i] == &backend_tool;

		s->groups[i].ops = backends[i];
		s->groups[i].cpus = tool ? s->no_cpus : s->cpus;
		s->groups[i].threads = tool ? NULL : session__threads(s);
	}
}

/* A table of counts for each event, and each event in the group of the backend that counts it. */
static int assign_events(struct session *s)
{
	int err = 0;

	s->set.events = calloc((size_t)s->evlist->nr + 1, sizeof(*s->set.events));
	if (!s->set.events)
		return -ENOMEM;
	s->set.nr = s->evlist->nr;
	for (int i = 0; !err && i < s->evlist->nr; i++) {
		struct evsel *evsel = s->evlist->entries[i];
		struct backend_group *group = group__of(s, backend__for(evsel, s->cfg));
		int nr_threads = group->threads ? group->threads->nr : 1;

		s->set.events[i] = counts__new(evsel, group->cpus, nr_threads);
		err = s->set.events[i] ? group__add(group, evsel, s->set.events[i]) : -ENOMEM;
	}
	return err;
}

/* -b counts runs whether or not an event asks for them: the report divides by them. */
static int add_run_cnt(struct session *s)
{
	static const struct evsel run_cnt = { .tool = TOOL_RUN_CNT };
	struct backend_group *group = group__of(s, &backend_prog);

	if (!s->cfg->nr_progs)
		return 0;
	s->set.run_cnt = counts__new(&run_cnt, group->cpus, 1);
	group->run_cnt = s->set.run_cnt;
	return s->set.run_cnt ? 0 : -ENOMEM;
}

static int make_workload(struct session *s)
{
	int err;

	if (!s->cfg->argv)
		return 0;
	err = workload__new(s->cfg->argv, &s->workload);
	if (err) {
		pr_err("%s: cannot start a process for it: %s", s->cfg->argv[0], strerror(-err));
		return err;
	}
	s->command_thread = threadmap__one(workload__pid(s->workload));
	return s->command_thread ? 0 : -ENOMEM;
}

static int session__prepare(struct session *s)
{
	int err = make_workload(s);

	err = err ?: wakeups__new(&s->wakeups);
	err = err ?: make_cpus(s);
	if (!err)
		init_groups(s);
	err = err ?: assign_events(s);
	err = err ?: add_run_cnt(s);
	if (!err && session__threads(s) && !s->workload)
		err = wakeups__watch_threads(s->wakeups, s->cfg->threads);
	if (err == -ENOMEM)
		pr_err("out of memory");
	return err;
}

int session__new(const struct evlist *evlist, const struct stat_config *cfg, struct session **session)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	*session = NULL;
	if (!s) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	s->evlist = evlist;
	s->cfg = cfg;
	err = session__prepare(s);
	if (err)
		session__free(s);
	else
		*session = s;
	return err;
}

/* A group without events is left alone, but that of -b has its runs to count. */
static bool group__is_used(const struct backend_group *group)
{
	return group->nr || group->run_cnt;
}

static int for_each_group(struct session *s, int (*step)(struct session *s, struct backend_group *group))
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&s->groups[i]))
			err = step(s, &s->groups[i]);
	return err;
}

static int open_group(struct session *s, struct backend_group *group)
{
	return group->ops->open(group, s->cfg);
}

static int enable_group(struct session *s, struct backend_group *group)
{
	(void)s;
	return group->ops->enable(group);
}

static int read_group(struct session *s, struct backend_group *group)
{
	(void)s;
	return group->ops->read(group);
}

static int disable_group(struct session *s, struct backend_group *group)
{
	(void)s;
	return group->ops->disable(group);
}

static int close_group(struct session *s, struct backend_group *group)
{
	(void)s;
	group->ops->close(group);
	return 0;
}

/* workload__call_at_exec() */
static int tell_exec(void *arg, pid_t pid)
{
	struct session *s = arg;
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&s->groups[i]) && s->groups[i].ops->at_exec)
			err = s->groups[i].ops->at_exec(&s->groups[i], pid);
	s->told_at_exec = err;
	return err;
}

static bool has_moving_breakpoints(const struct evlist *evlist)
{
	const struct evsel *evsel;

	evlist__for_each(evlist, evsel)
		if (evsel->symbol_file)
			return true;
	return false;
}

/* Enables all and lets the command go. @end->exec_err when it cannot be run. */
static int session__start(struct session *s, struct session_end *end)
{
	int err;

	s->start_ns = clock__now();
	err = for_each_group(s, enable_group);
	if (err)
		return err;
	if (s->workload) {
		int hook_err = 0;

		if (has_moving_breakpoints(s->evlist))
			workload__call_at_exec(s->workload, tell_exec, s);
		end->exec_err = workload__start(s->workload, &hook_err);
		if (end->exec_err)
			return 0;
		if (hook_err && !s->told_at_exec)
			pr_err("%s: cannot be stopped at its exec to place breakpoints: %s", s->cfg->argv[0],
			       strerror(-hook_err));
		if (hook_err)
			return hook_err;
		wakeups__watch_command(s->wakeups, workload__pidfd(s->workload));
	}
	err = wakeups__start_timers(s->wakeups, s->start_ns, s->cfg->interval_ns, s->cfg->timeout_ns);
	if (err)
		pr_err("cannot set a timer: %s", strerror(-err));
	return err;
}

/* Reads all counts: the tick from the last interval to now. */
static int take_tick(struct session *s, struct session_tick *tick)
{
	int err;

	tick->counts = &s->set;
	tick->time_ns = clock__now() - s->start_ns;
	tick->length_ns = tick->time_ns - s->last_ns;
	err = for_each_group(s, read_group);
	s->last_ns = tick->time_ns;
	return err;
}

static void mark_all(struct session *s)
{
	for (int i = 0; i < s->set.nr; i++)
		counts__mark(s->set.events[i]);
	if (s->set.run_cnt)
		counts__mark(s->set.run_cnt);
}

static int tell_interval(struct session *s, const struct session_tick *tick, session_interval_fn interval, void *ctx)
{
	int err = interval(ctx, tick);

	mark_all(s);
	s->intervals++;
	return err;
}

/*
 * The terminal sends SIGINT to the command as well. A command may use it to come to an orderly end, which belongs to the
 * count: the first one only ends what counts without a command, or in intervals.
 */
static bool signal_ends(const struct session *s, int sig, int earlier)
{
	return sig != SIGINT || earlier || !s->workload || s->cfg->interval_ns;
}

/* Until something ends the count. 0 and @end says what, or -errno. */
static int session__loop(struct session *s, session_interval_fn interval, void *ctx, struct session_end *end)
{
	for (;;) {
		int found = wakeups__wait(s->wakeups);

		if (found < 0) {
			pr_err("poll: %s", strerror(-found));
			return found;
		}
		if (found & WAKEUP_COMMAND) {
			end->command_ended = true;
			return 0;
		}
		if (found & WAKEUP_SIGNAL) {
			int sig = wakeups__signal(s->wakeups);
			bool ends = signal_ends(s, sig, end->signal);

			end->signal = sig;
			if (ends)
				return 0;
		}
		if (found & WAKEUP_INTERVAL) {
			struct session_tick tick;
			int err = take_tick(s, &tick);

			err = err ?: tell_interval(s, &tick, interval, ctx);
			if (err)
				return err;
			if (s->intervals == s->cfg->interval_count)
				return 0;
		}
		end->timed_out = found & WAKEUP_TIMEOUT;
		if (found & (WAKEUP_TIMEOUT | WAKEUP_TARGETS))
			return 0;
	}
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NSEC_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

/* The command is waited for, as it was started for its own sake, unless a signal ended the count. */
static int end_command(struct session *s, struct session_end *end)
{
	struct rusage usage;
	int err;

	if (!s->workload || (end->signal && !end->command_ended))
		return 0;
	if (end->timed_out)
		workload__terminate(s->workload);
	err = workload__wait(s->workload, &end->command_status, &usage);
	if (err) {
		pr_err("%s: cannot wait for its end: %s", s->cfg->argv[0], strerror(-err));
		return err;
	}
	end->command_ended = true;
	end->user_ns = timeval_ns(&usage.ru_utime);
	end->sys_ns = timeval_ns(&usage.ru_stime);
	return 0;
}

/* Was the end of the count, known beforehand, also the end of the interval that was told last? */
static bool ended_with_interval(const struct session *s, const struct session_end *end)
{
	const struct stat_config *cfg = s->cfg;

	if (cfg->interval_count && s->intervals == cfg->interval_count)
		return true;
	return end->timed_out && s->intervals * cfg->interval_ns == cfg->timeout_ns;
}

/* Reads once more, before anything is disabled, and tells the last interval. */
static int session__finish(struct session *s, session_interval_fn interval, void *ctx, struct session_end *end)
{
	int err = 0;

	/* the CPU time of a command that has ended is among the counts */
	if (end->command_ended)
		err = end_command(s, end);
	err = err ?: take_tick(s, &end->total);
	err = err ?: for_each_group(s, disable_group);
	if (!err && s->cfg->interval_ns && !ended_with_interval(s, end))
		err = tell_interval(s, &end->total, interval, ctx);
	if (!err && !end->command_ended)
		err = end_command(s, end);
	end->missed_intervals = wakeups__missed(s->wakeups);
	return err;
}

int session__run(struct session *s, session_interval_fn interval, void *ctx, struct session_end *end)
{
	int err;

	*end = (struct session_end){};
	err = for_each_group(s, open_group);
	err = err ?: session__start(s, end);
	if (!err && !end->exec_err) {
		err = session__loop(s, interval, ctx, end);
		err = err ?: session__finish(s, interval, ctx, end);
	}
	for_each_group(s, close_group);
	/* Ctrl-C has reached the command too; of any other end it does not know */
	if (s->workload && (err || (end->signal && end->signal != SIGINT)))
		workload__terminate(s->workload);
	return err;
}

void session__free(struct session *s)
{
	if (!s)
		return;
	for_each_group(s, close_group);
	for (size_t i = 0; i < NR_BACKENDS; i++) {
		free(s->groups[i].evsels);
		free(s->groups[i].counts);
	}
	for (int i = 0; i < s->set.nr; i++)
		counts__free(s->set.events[i]);
	free(s->set.events);
	counts__free(s->set.run_cnt);
	wakeups__free(s->wakeups);
	workload__free(s->workload);
	threadmap__free(s->command_thread);
	cpumap__free(s->no_cpus);
	cpumap__free(s->cpus);
	free(s);
}
