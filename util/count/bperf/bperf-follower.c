// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-follower-priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_skel/bperf_follower.skel.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/bperf/bperf-follower-maps.h"
#include "util/count/bperf/bperf-leader.h"
#include "util/count/bperf/bpf-tasks.h"
#include "util/count/bpf-util.h"

/* ---- before loading ---- */

/*
 * Opens a kprobe at perf_event_exit_task(), in which the kernel stops the perf events of an exiting
 * task. Does nothing if a program at the tracepoint sched_process_exit can end the task's count
 * just as exactly. If the kprobe cannot be opened, pstat uses this tracepoint, although the counts
 * are then less exact.
 */
static void open_exit(struct bperf_follower *follower)
{
	int err;

	if (bpf_tasks__can_end_at_tracepoint())
		return;
	err = kprobe_event__open("perf_event_exit_task", &follower->exit);
	if (err)
		pr_info("cannot attach a kprobe to perf_event_exit_task (%s): unlike perf's "
			"counts, these counts include the work of exiting tasks that free their "
			"memory",
			strerror(-err));
}

static bool counts_only_switches(const struct bperf_plan *plan, int nr)
{
	for (int i = 0; i < nr; i++)
		if (plan[i].how != BPERF_SWITCHES)
			return false;
	return true;
}

/*
 * Selects the programs that libbpf will load. If a kprobe is needed for exiting tasks, opens the
 * kprobe.
 *
 * If pstat counts only context switches, it avoids the kprobe, which takes 10 ms to place. Instead,
 * pstat uses the tracepoint sched_process_exit, which costs almost nothing, if the kernel calls it
 * at the right time (bpf_tasks__exits_come_in_time()). On other kernels, pstat runs no program at
 * the exit. On those kernels, and whenever the kernel skips the program at the tracepoint
 * (bpf_tasks__can_be_preempted()), the context switches during the exit are counted, too. For other
 * events, the kprobe is worth its cost: while a task exits, their counts increase all the time,
 * whereas the count of context switches increases only if the task loses the CPU to another task.
 */
static int choose_programs(struct bperf_follower *follower, const struct bperf_plan *plan, int nr,
			   const struct bperf_target *target)
{
	const struct bperf_parts *parts = &follower->parts;
	bool tasks = target->threads, switches = counts_only_switches(plan, nr);
	bool exits = tasks && (!switches || bpf_tasks__exits_come_in_time());
	bool apart = target->inherit && bpf_tasks__can_be_preempted();
	int err;

	if (exits && !switches)
		open_exit(follower);
	*parts->only_switches = switches;
	follower->sees_exits = exits;
	err = bpf_program__set_autoload(
		parts->on_task, tasks && (target->from_exec || (target->inherit && !apart)));
	err = err ?: bpf_program__set_autoload(parts->on_new_task, tasks && apart);
	err = err   ?:
		      bpf_program__set_autoload(parts->on_exit_exact,
						exits && follower->exit.fd >= 0);
	return err ?: bpf_program__set_autoload(parts->on_exit, exits && follower->exit.fd < 0);
}

int bperf_follower__prepare(struct bperf_follower *follower, const struct bperf_plan *plan, int nr,
			    const struct bperf_target *target)
{
	int err = choose_programs(follower, plan, nr, target);

	*follower->parts.task_state_offset = follower->task_state;
	return err ?: bperf_follower__set_sizes(&follower->parts, plan, nr, target);
}

static int prepare_follow(struct bperf_follower *follower, const struct bperf_leader *leader)
{
	struct bperf_follower_bpf *skel = follower->skel;
	const struct bperf_parts *parts = &follower->parts;
	int err;

	*parts->nr_cpus = leader->info.nr_cpus;
	*parts->nr_rows = leader->info.nr_events;
	*parts->of_pstat = leader->of_pstat;
	err = bpf_program__set_autoload(skel->progs.follow, leader->of_pstat);
	err = err ?: bpf_program__set_autoload(skel->progs.follow_foreign, !leader->of_pstat);
	err = err ?: bpf_map__reuse_fd(parts->source, leader->source_fd);
	if (leader->events_fd >= 0)
		err = err ?: bpf_map__reuse_fd(parts->events, leader->events_fd);
	if (leader->of_pstat)
		err = err ?: bperf_follower__drop_foreign_maps(parts);
	else if (leader->before_fd >= 0)
		err = err ?: bpf_map__reuse_fd(parts->before, leader->before_fd);
	return err ?: bpf_program__set_attach_target(follower->main, leader->prog_fd, "on_switch");
}

/* ---- loading, attaching ---- */

int bperf_follower__keep(struct bperf_follower *follower, struct bpf_link *link)
{
	if (!link)
		return -errno;
	follower->links[follower->nr_links++] = link;
	return 0;
}

static int attach_exit(struct bperf_follower *follower)
{
	const struct bperf_parts *parts = &follower->parts;

	if (follower->exit.fd >= 0)
		return kprobe_event__attach(&follower->exit, bpf_program__fd(parts->on_exit_exact));
	return bperf_follower__keep(follower, bpf_program__attach(parts->on_exit));
}

/* Attaches the programs that run when tasks begin, call execve(2), or end. */
static int attach_hooks(struct bperf_follower *follower, const struct bperf_target *target)
{
	const struct bperf_parts *parts = &follower->parts;
	int err = 0;

	if (!target->threads)
		return 0;
	if (follower->sees_exits)
		err = attach_exit(follower);
	if (!err && target->inherit)
		err = bperf_follower__keep(
			follower,
			bpf_tasks__can_be_preempted() ?
				bpf_program__attach_raw_tracepoint(parts->on_new_task,
								   "sched_wakeup_new") :
				bpf_program__attach_raw_tracepoint(parts->on_task, "task_newtask"));
	if (!err && target->from_exec)
		err = bperf_follower__keep(follower, bpf_program__attach_raw_tracepoint(
							     parts->on_task, "task_rename"));
	return err;
}

int bperf_follower__new(struct bperf_follower **out, const struct bperf_target *target,
			struct strbuf *why)
{
	int task_state = -1,
	    err = target->threads ? bpf_tasks__find_state(sysroots__host(), &task_state, why) : 0;
	struct bperf_follower *follower = err ? NULL : calloc(1, sizeof(*follower));

	*out = follower;
	if (!follower)
		return err ?: -ENOMEM;
	follower->link_fd = follower->exit.fd = follower->exit.map_fd = -1;
	follower->task_state = task_state;
	return 0;
}

int bperf_follower__start(struct bperf_follower *follower, const struct bperf_target *target,
			  const char **step)
{
	int err;

	*step = "write the tasks to count into a BPF map";
	err = bperf_follower__name_threads(&follower->parts, target);
	if (err)
		return err;
	*step = "attach to the points at which tasks begin and end";
	return attach_hooks(follower, target);
}

/* Opens the BPF object, prepares it for @leader, and loads it. */
static int load(struct bperf_follower *follower, const struct bperf_leader *leader,
		const struct bperf_plan *plan, int nr, const struct bperf_target *target)
{
	struct bperf_follower_bpf *skel = follower->skel = bperf_follower_bpf__open();
	int err;

	if (!skel)
		return -errno;
	follower->parts = BPERF_PARTS(skel);
	follower->main = leader->of_pstat ? skel->progs.follow : skel->progs.follow_foreign;
	err = bperf_follower__prepare(follower, plan, nr, target);
	err = err ?: prepare_follow(follower, leader);
	err = err ?: bperf_follower_bpf__load(skel);
	/*
	 * if memory runs out while libbpf checks whether the kernel supports maps for global
	 * variables, libbpf continues without these maps
	 */
	if (!err && (!skel->bss || !skel->rodata))
		err = -ENOMEM;
	if (!err)
		follower->parts = BPERF_PARTS(skel);
	return err;
}

int bperf_follower__fail(struct bperf_follower **follower, const char *step, int err,
			 struct strbuf *why)
{
	if (err == -ENOTSUPP)
		err = -EOPNOTSUPP;
	if (step && privileges__filter_refuses_bpf(err))
		reason__store_call(why, err, privileges__refused_bpf_call(), "cannot %s", step);
	else if (step)
		reason__set(why, err, "cannot %s: %s\n-v shows libbpf's messages", step,
			    strerror(-err));
	bperf_follower__close(*follower);
	*follower = NULL;
	return err;
}

int bperf_follower__follow(const struct bperf_leader *leader, const struct bperf_plan *plan, int nr,
			   const struct bperf_target *target, struct bperf_follower **out,
			   struct strbuf *why)
{
	const char *step = BPERF_LOADING;
	int err = bperf_follower__new(out, target, why);

	if (!*out)
		return err;
	err = load(*out, leader, plan, nr, target);
	err = err ?: bperf_follower__start(*out, target, &step);
	if (!err) {
		step = "attach a follower to the program that reads the counters";
		(*out)->link_fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd((*out)->main));
		err = (*out)->link_fd < 0 ? -errno : 0;
		if (err == -E2BIG)
			err = -EUSERS;
	}
	if (err == -EUSERS || err == -EOPNOTSUPP || err == -ENOTSUPP)
		step = NULL;
	return err ? bperf_follower__fail(out, step, err, why) : 0;
}

void bperf_follower__close(struct bperf_follower *follower)
{
	if (!follower)
		return;
	bperf_alone__detach(follower);
	if (follower->link_fd >= 0)
		close(follower->link_fd);
	for (int i = 0; i < follower->nr_links; i++)
		bpf_link__destroy(follower->links[i]);
	kprobe_event__close(&follower->exit);
	held_events__disable(&follower->held);
	held_events__close(&follower->held);
	bperf_follower_bpf__destroy(follower->skel);
	bperf_alone__close(follower);
	free(follower);
}

/* ---- counting ---- */

void bperf_follower__switch(struct bperf_follower *follower, bool on)
{
	const struct bperf_parts *parts = &follower->parts;
	uint64_t now = clock__now();

	if (follower->points) {
		bperf_alone__switch(follower, on);
		return;
	}
	/* set on_ns before off_ns, so that BPF never sees the old start with the new end */
	if (on)
		*parts->on_ns = now;
	__atomic_store_n(parts->off_ns, on ? UINT64_MAX : now, __ATOMIC_RELEASE);
	*parts->enabled = on;
}

int bperf_follower__read(const struct bperf_follower *follower, int slot,
			 struct bpf_perf_event_value *values)
{
	return bpf_map_lookup_elem(bpf_map__fd(follower->parts.totals), &slot, values) ? -errno : 0;
}

int bperf_follower__prog_fd(const struct bperf_follower *follower)
{
	return bpf_program__fd(follower->main);
}

int bperf_follower__state_fd(const struct bperf_follower *follower)
{
	return bpf_map__fd(follower->parts.source);
}

struct bperf_reader bperf_follower__reader(struct bperf_follower *follower)
{
	const struct bperf_parts *parts = &follower->parts;

	return (struct bperf_reader){
		.prog_fd = bpf_program__fd(follower->main),
		.state_fd = bpf_map__fd(parts->source),
		.events_fd = bpf_map__fd(parts->events),
		.nr_events = *parts->nr_rows,
		.nr_cpus = *parts->nr_cpus,
		.plan = parts->plan,
		.held = &follower->held,
	};
}

uint64_t bperf_follower__lost(const struct bperf_follower *follower)
{
	return *follower->parts.lost;
}

uint64_t bperf_follower__skipped(const struct bperf_follower *follower)
{
	const struct bperf_parts *parts = &follower->parts;

	return bpf_util__misses_of(bpf_program__fd(parts->on_task)) +
	       bpf_util__misses_of(bpf_program__fd(parts->on_new_task)) +
	       bpf_util__misses_of(bpf_program__fd(parts->on_exit));
}
