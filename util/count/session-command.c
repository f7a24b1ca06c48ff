// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/session-command.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/counts.h"
#include "util/count/exec-loss.h"
#include "util/count/groups.h"
#include "util/count/session.h"
#include "util/count/stat-config.h"
#include "util/count/wakeups.h"
#include "util/count/workload.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/symbols/far-file.h"
#include "util/machine/task/exec-file.h"
#include "util/machine/task/threadmap.h"

/*
 * Returns whether any event is a breakpoint on a symbol (mem:SYMBOL). The exec of the command can
 * change the address of the symbol.
 */
static bool has_moving_breakpoints(const struct evlist *evlist)
{
	const struct evsel *evsel;

	evlist__for_each(evlist, evsel)
		if (evsel->symbol_file)
			return true;
	return false;
}

/*
 * Stores in loss.change why the kernel removes the events at the exec of the command, or EXEC_SAME
 * if it keeps them. Before the exec, the child process of far-file.h examines the command's file,
 * because a file system that does not respond would otherwise block pstat. After the exec, pstat
 * itself examines the file. This is faster, and it is safe, because the file system has just
 * responded.
 */
static void find_change(struct session_command *c, bool has_execed)
{
	char file[PATH_MAX];

	if (c->knows_change)
		return;
	c->knows_change = true;
	if (has_execed) {
		if (exec_file__find(c->argv[0], file, sizeof(file)))
			c->loss.change = exec_file__change(sysroots__host(), file);
		return;
	}
	far_file__find_command(c->argv[0], file, sizeof(file), &c->loss.change);
	far_file__end();
}

int session_command__make(struct session_command *c)
{
	int err;

	if (!c->argv)
		return 0;
	err = workload__new(c->argv, wakeups__old_mask(c->wakeups), c->why, &c->workload);
	if (err)
		return err;
	c->loss = (struct exec_loss){ 0 };
	c->knows_change = false;
	if (!stat_config__counts_command(c->cfg))
		return 0;
	if (c->cfg->sampling || has_moving_breakpoints(c->evlist))
		find_change(c, false);
	c->thread = threadmap__one(workload__pid(c->workload));
	return c->thread ? 0 : -ENOMEM;
}

/* The callback for workload__call_at_exec(). Lets the backends update their events. */
static int pass_exec(void *arg, pid_t pid)
{
	struct session_command *c = arg;
	int err = groups__at_exec(c->groups, pid);

	far_file__end();
	return err;
}

/*
 * Returns the CPU time in ns that the running process @pid has used, excluding its children.
 * Returns 0 if the time is unknown.
 */
static uint64_t cpu_time(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/*
 * @cpu_ns is the CPU time of the command. Returns how much of this time was used after the exec, at
 * which the kernel enables the events. The process also uses CPU time before the exec, especially
 * if PATH is long or there are many arguments. If the kernel removes the events at the exec
 * (loss.change), returns @cpu_ns instead, because the time since the exec may be too short to show
 * the loss.
 */
static uint64_t since_exec(const struct session_command *c, uint64_t cpu_ns)
{
	if (c->loss.change != EXEC_SAME)
		return cpu_ns;
	return cpu_ns > c->before_ns ? cpu_ns - c->before_ns : 0;
}

int session_command__start(struct session_command *c, int *exec_err)
{
	int hook_err = 0;

	if (!c->workload)
		return 0;
	if (has_moving_breakpoints(c->evlist) && exec_change__needs_untraced(c->loss.change))
		return reason__set(c->why, -EPERM,
				   "%s: mem:SYMBOL traces the command until its exec, and %s has "
				   "no privileges when it is traced\nrun pstat as root, or count "
				   "events that are not breakpoints",
				   c->argv[0], exec_change__name(c->loss.change));
	if (has_moving_breakpoints(c->evlist))
		workload__call_at_exec(c->workload, pass_exec, c);
	*exec_err = workload__start(c->workload, &hook_err);
	if (*exec_err)
		return 0;
	c->before_ns = cpu_time(workload__pid(c->workload));
	reason__set(c->why, hook_err, "%s: cannot be stopped at its exec to place breakpoints: %s",
		    c->argv[0], strerror(-hook_err));
	if (hook_err)
		return hook_err;
	/*
	 * if the command ended during pass_exec(), this is not an error, but pass_exec() may have
	 * stored a reason
	 */
	strbuf__reset(c->why);
	wakeups__watch_command(c->wakeups, workload__pidfd(c->workload));
	return 0;
}

/*
 * Waits for the end of the command. Returns 1 if the command has ended, 0 if a signal ended the
 * wait, or -errno.
 */
static int await(struct session_command *c, struct session_end *end)
{
	while (!end->command_ended) {
		int found = wakeups__wait(c->wakeups);

		if (found < 0)
			return found;
		end->command_ended = found & WAKEUP_COMMAND;
		if (found & WAKEUP_SIGNAL) {
			end->signal = wakeups__signal(c->wakeups);
			if (!end->command_ended)
				return false;
		}
	}
	return true;
}

int session_command__end(struct session_command *c, struct session_end *end)
{
	struct rusage usage;
	int err;

	if (!c->workload)
		return 0;
	if (end->timed_out || end->stopped)
		workload__terminate(c->workload);
	err = await(c, end);
	if (err <= 0)
		return err;
	err = workload__wait(c->workload, &end->command_status, &usage);
	if (err)
		return reason__set(c->why, err, "%s: cannot wait for its end: %s", c->argv[0],
				   strerror(-err));
	end->user_ns = clock__of_timeval(&usage.ru_utime);
	end->sys_ns = clock__of_timeval(&usage.ru_stime);
	c->cpu_ns = end->user_ns + end->sys_ns;
	return 0;
}

void session_command__find_loss(struct session_command *c)
{
	/*
	 * comparing the events' enabled times with the CPU time makes sense only if the kernel
	 * enables the events at the exec and no command of --control can disable them
	 */
	if (!c->thread || !c->workload || !stat_config__starts_at_exec(c->cfg) || c->cfg->control)
		return;
	if (workload__pid(c->workload))
		c->cpu_ns = cpu_time(workload__pid(c->workload));
	/*
	 * do not subtract before_ns yet, because groups__suspect_loss() would then miss the loss if
	 * a setuid command runs only for a short time
	 */
	c->loss.cpu_ns = c->cpu_ns;
	if (!groups__suspect_loss(c->groups, &c->loss))
		return;
	find_change(c, true);
	c->loss.cpu_ns = since_exec(c, c->cpu_ns);
	if (!workload__pid(c->workload) && !c->cfg->inherit && c->loss.change == EXEC_SAME)
		/*
		 * after the end of the command, cpu_ns includes the CPU time of its children, but
		 * without `inherit`, the events do not count the children
		 */
		return;
	c->loss.counted_ns = 0;
	groups__apply_loss(c->groups, &c->loss);
}

void session_command__cancel(struct session_command *c)
{
	workload__free(c->workload);
	c->workload = NULL;
}

void session_command__drop(struct session_command *c, bool failed, int sig)
{
	if (c->workload && (failed || (sig && sig != SIGINT)))
		workload__terminate(c->workload);
	workload__free(c->workload);
	threadmap__free(c->thread);
	c->workload = NULL;
	c->thread = NULL;
}
