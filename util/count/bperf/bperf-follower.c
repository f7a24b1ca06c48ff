// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-follower.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_skel/gate.h"
#include "bpf_skel/bperf_follower.skel.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/bperf/bperf-events.h"
#include "util/count/bperf/bperf-follower-maps.h"
#include "util/count/bperf/bperf-leader.h"
#include "util/count/bperf/bpf-tasks.h"
#include "util/count/bperf/kprobe-event.h"
#include "util/count/bpf-util.h"
#include "util/count/gate.h"
#include "util/count/share/gate-links.h"
#include "util/count/share/held-events.h"

#define NR_LINKS 4

struct bperf_follower {
	struct bperf_follower_bpf *skel;
	struct bpf_program *main; /* the program that runs at a context switch */
	int link_fd;		  /* attaches `main` to a leader; -1 without a leader */
	/* links of the programs that run when tasks begin or end, and of on_switch */
	struct bpf_link *links[NR_LINKS];
	int nr_links;
	struct kprobe_event exit;
	struct held_events held;	  /* only without a leader */
	const struct gate_points *points; /* NULL without --start or --stop */
	struct gate_links *gate;
	bool sees_exits; /* a BPF program runs when a counted task exits */
};

/* ---- before loading ---- */

/*
 * Opens a kprobe at the kernel function that stops counting an exiting task. Does nothing if the
 * tracepoint sched_process_exit can end the count at the same point. If the kprobe cannot be
 * opened, pstat uses this tracepoint, although the counts are then less exact.
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
 * Selects the programs that libbpf will load. If a kprobe is needed for exiting tasks, opens it.
 *
 * If pstat counts only context switches, it avoids the kprobe, which takes 10 ms to place. While a
 * task exits, the counts of other events increase all the time, but the count of context switches
 * increases only if the task loses the CPU to another task. So it is enough to use the tracepoint
 * sched_process_exit, which costs almost nothing, if the kernel calls it in time. The switches of
 * an exiting task are counted if the kernel calls this tracepoint too late, or skips the program at
 * this tracepoint because of a preempted task.
 */
static int choose_programs(struct bperf_follower *follower, const struct bperf_plan *plan, int nr,
			   const struct bperf_target *target)
{
	struct bperf_follower_bpf *skel = follower->skel;
	bool tasks = target->threads, switches = counts_only_switches(plan, nr);
	bool exits = tasks && (!switches || bpf_tasks__exits_come_in_time());
	bool apart = target->inherit && bpf_tasks__can_be_preempted();
	int err;

	if (exits && !switches)
		open_exit(follower);
	skel->rodata->only_switches = switches;
	follower->sees_exits = exits;
	err = bpf_program__set_autoload(skel->progs.on_switch, false);
	err = err ?: bpf_program__set_autoload(skel->progs.follow, false);
	err = err ?: bpf_program__set_autoload(skel->progs.follow_foreign, false);
	err = err ?: bpf_program__set_autoload(follower->main, true);
	if (!err)
		err = bpf_program__set_autoload(
			skel->progs.on_task,
			tasks && (target->from_exec || (target->inherit && !apart)));
	err = err ?: bpf_program__set_autoload(skel->progs.on_new_task, tasks && apart);
	err = err ?: gate_links__prepare(GATE_PROGRAMS(skel), target->points);
	if (!err)
		err = bpf_program__set_autoload(skel->progs.on_exit_exact,
						exits && follower->exit.fd >= 0);
	return err   ?:
		       bpf_program__set_autoload(skel->progs.on_exit,
						 exits && follower->exit.fd < 0);
}

static int prepare_follow(struct bperf_follower *follower, const struct bperf_leader *leader)
{
	struct bperf_follower_bpf *skel = follower->skel;
	int err;

	skel->rodata->nr_cpus = leader->info.nr_cpus;
	skel->rodata->nr_rows = leader->info.nr_events;
	skel->rodata->of_pstat = leader->of_pstat;
	err = bpf_map__reuse_fd(skel->maps.source, leader->source_fd);
	if (leader->events_fd >= 0)
		err = err ?: bpf_map__reuse_fd(skel->maps.events, leader->events_fd);
	if (leader->of_pstat)
		err = err ?: bperf_follower__drop_foreign_maps(skel);
	else if (leader->before_fd >= 0)
		err = err ?: bpf_map__reuse_fd(skel->maps.before, leader->before_fd);
	return err ?: bpf_program__set_attach_target(follower->main, leader->prog_fd, "on_switch");
}

static int prepare_alone(struct bperf_follower_bpf *skel, const struct bperf_events *events,
			 int nr_cpus)
{
	int err;

	skel->rodata->nr_cpus = (__u32)nr_cpus;
	skel->rodata->nr_rows = (__u32)events->nr;
	skel->rodata->of_pstat = true;
	err = bperf_follower__drop_foreign_maps(skel);
	err = err ?: bpf_map__set_max_entries(skel->maps.events, (__u32)(events->nr * nr_cpus));
	return err   ?:
		       bpf_map__set_value_size(skel->maps.source,
					       (__u32)BPERF_STATE_SIZE((size_t)events->nr));
}

/* ---- loading, attaching ---- */

static int attach(struct bperf_follower *follower, struct bpf_link *link)
{
	if (!link)
		return -errno;
	follower->links[follower->nr_links++] = link;
	return 0;
}

static int attach_exit(struct bperf_follower *follower)
{
	struct bperf_follower_bpf *skel = follower->skel;

	if (follower->exit.fd >= 0)
		return kprobe_event__attach(&follower->exit,
					    bpf_program__fd(skel->progs.on_exit_exact));
	return attach(follower, bpf_program__attach(skel->progs.on_exit));
}

/* Attaches the programs that run when tasks begin or end. */
static int attach_hooks(struct bperf_follower *follower, const struct bperf_target *target)
{
	struct bperf_follower_bpf *skel = follower->skel;
	int err = 0;

	if (!target->threads)
		return 0;
	if (follower->sees_exits)
		err = attach_exit(follower);
	if (!err && target->inherit)
		err = attach(follower,
			     bpf_tasks__can_be_preempted() ?
				     bpf_program__attach_raw_tracepoint(skel->progs.on_new_task,
									"sched_wakeup_new") :
				     bpf_program__attach_raw_tracepoint(skel->progs.on_task,
									"task_newtask"));
	if (!err && target->from_exec)
		err = attach(follower, bpf_program__attach_raw_tracepoint(skel->progs.on_task,
									  "task_rename"));
	return err;
}

#define LOADING "load the program that adds up the counts of tasks"

/*
 * Loads the programs, and attaches the programs that run when tasks begin or end. Returns 0, or
 * -errno with the failed step in *@step.
 */
static int load(struct bperf_follower *follower, const struct bperf_target *target,
		const char **step)
{
	int err = bperf_follower_bpf__load(follower->skel);

	/*
	 * if memory runs out while libbpf checks whether the kernel supports maps for global
	 * variables, libbpf continues without these maps
	 */
	if (!err && (!follower->skel->bss || !follower->skel->rodata || !follower->skel->data_gate))
		err = -ENOMEM;
	if (err)
		return err;
	*step = "write the tasks to count into a BPF map";
	err = bperf_follower__name_threads(follower->skel, target);
	if (err)
		return err;
	*step = "attach to the points at which tasks begin and end";
	return attach_hooks(follower, target);
}

/*
 * Allocates a follower for @target and opens its skeleton. On failure, the caller must close *@out
 * unless it is NULL.
 */
static int follower__new(struct bperf_follower **out, const struct bperf_target *target,
			 struct strbuf *why)
{
	int task_state = -1,
	    err = target->threads ? bpf_tasks__find_state(sysroots__host(), &task_state, why) : 0;
	struct bperf_follower *follower = err ? NULL : calloc(1, sizeof(*follower));

	*out = follower;
	if (!follower)
		return err ?: -ENOMEM;
	follower->link_fd = follower->exit.fd = follower->exit.map_fd = -1;
	follower->skel = bperf_follower_bpf__open();
	if (!follower->skel)
		return -errno;
	follower->skel->rodata->task_state_offset = task_state;
	return 0;
}

/*
 * Closes the follower. If @step is not NULL, stores "cannot @step" as the reason. Returns @err, or
 * -EOPNOTSUPP if @err is -ENOTSUPP.
 */
static int fail(struct bperf_follower **follower, const char *step, int err, struct strbuf *why)
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
	const char *step = LOADING;
	int err = follower__new(out, target, why);

	if (!*out)
		return err;
	if (!err)
		(*out)->main = leader->of_pstat ? (*out)->skel->progs.follow :
						  (*out)->skel->progs.follow_foreign;
	err = err ?: choose_programs(*out, plan, nr, target);
	err = err ?: bperf_follower__set_sizes((*out)->skel, plan, nr, target);
	err = err ?: prepare_follow(*out, leader);
	err = err ?: load(*out, target, &step);
	if (!err) {
		step = "attach a follower to the program that reads the counters";
		(*out)->link_fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd((*out)->main));
		err = (*out)->link_fd < 0 ? -errno : 0;
		if (err == -E2BIG)
			err = -EUSERS;
	}
	if (err == -EUSERS || err == -EOPNOTSUPP || err == -ENOTSUPP)
		step = NULL;
	return err ? fail(out, step, err, why) : 0;
}

/*
 * Returns whether a follower without a leader has to run at context switches. A follower that
 * counts CPUs has to run at context switches only if it counts context switches or has points of
 * --start or --stop. Otherwise, it is enough that pstat runs the follower whenever it needs a
 * reading.
 */
static bool needs_switches(const struct bperf_events *events, const struct bperf_target *target)
{
	for (int row = 0; row < events->nr; row++)
		if (events->plan[row].how == BPERF_SWITCHES)
			return true;
	return target->threads || target->points;
}

int bperf_follower__alone(struct bperf_events *events, int nr_cpus,
			  const struct bperf_target *target, struct bperf_follower **out,
			  struct strbuf *why)
{
	struct bperf_plan plan[BPERF_MAX_EVENTS];
	const char *step = LOADING;
	int err = follower__new(out, target, why);

	if (!*out)
		return err;
	for (int row = 0; row < events->nr; row++) {
		plan[row] = events->plan[row];
		plan[row].row = (__u8)row;
	}
	if (!err)
		(*out)->main = (*out)->skel->progs.on_switch;
	err = err ?: choose_programs(*out, plan, events->nr, target);
	err = err ?: bperf_follower__set_sizes((*out)->skel, plan, events->nr, target);
	err = err ?: prepare_alone((*out)->skel, events, nr_cpus);
	err = err ?: load(*out, target, &step);
	if (!err) {
		err = bperf_events__hand_over(events, bpf_map__fd((*out)->skel->maps.events),
					      nr_cpus);
		if (err)
			return fail(out, NULL, err, why);
		bperf_events__hold(events, &(*out)->held);
		step = "attach to the context switch";
		if (needs_switches(events, target))
			err = attach(*out, bpf_program__attach((*out)->main));
	}
	if (!err && target->points) {
		struct bperf_follower_bpf *skel = (*out)->skel;

		(*out)->points = target->points;
		err = gate_links__attach(GATE_PROGRAMS(skel), bpf_map__fd(skel->maps.gate_changed),
					 target->points, &(*out)->gate, why);
	}
	return err ? fail(out, step, err, why) : 0;
}

void bperf_follower__close(struct bperf_follower *follower)
{
	if (!follower)
		return;
	gate_links__free(follower->gate);
	if (follower->points && follower->skel && follower->skel->data_gate)
		gate__report((const struct gate *)&follower->skel->data_gate->gate);
	if (follower->link_fd >= 0)
		close(follower->link_fd);
	for (int i = 0; i < follower->nr_links; i++)
		bpf_link__destroy(follower->links[i]);
	kprobe_event__close(&follower->exit);
	held_events__disable(&follower->held);
	held_events__close(&follower->held);
	bperf_follower_bpf__destroy(follower->skel);
	free(follower);
}

/* ---- counting ---- */

void bperf_follower__switch(struct bperf_follower *follower, bool on)
{
	struct bperf_follower_bpf *skel = follower->skel;
	uint64_t now = clock__now();

	if (follower->points) {
		struct gate *gate = (struct gate *)&skel->data_gate->gate;

		on ? gate__arm(gate, follower->points) : gate__disarm(gate);
		return;
	}
	/* set on_ns before off_ns, so that BPF never sees the old start with the new end */
	if (on)
		skel->bss->on_ns = now;
	__atomic_store_n(&skel->bss->off_ns, on ? UINT64_MAX : now, __ATOMIC_RELEASE);
	skel->bss->enabled = on;
}

const struct gate *bperf_follower__gate(const struct bperf_follower *follower)
{
	return (const struct gate *)&follower->skel->data_gate->gate;
}

int bperf_follower__wake_fd(const struct bperf_follower *follower)
{
	return gate_links__wake_fd(follower->gate);
}

void bperf_follower__drain(struct bperf_follower *follower)
{
	gate_links__drain(follower->gate);
}

int bperf_follower__read(const struct bperf_follower *follower, int slot,
			 struct bpf_perf_event_value *values)
{
	return bpf_map_lookup_elem(bpf_map__fd(follower->skel->maps.totals), &slot, values) ?
		       -errno :
		       0;
}

int bperf_follower__prog_fd(const struct bperf_follower *follower)
{
	return bpf_program__fd(follower->main);
}

int bperf_follower__state_fd(const struct bperf_follower *follower)
{
	return bpf_map__fd(follower->skel->maps.source);
}

struct bperf_reader bperf_follower__reader(struct bperf_follower *follower)
{
	const struct bperf_follower_bpf *skel = follower->skel;

	return (struct bperf_reader){
		.prog_fd = bpf_program__fd(follower->main),
		.state_fd = bpf_map__fd(skel->maps.source),
		.events_fd = bpf_map__fd(skel->maps.events),
		.nr_events = skel->rodata->nr_rows,
		.nr_cpus = skel->rodata->nr_cpus,
		.plan = (const struct bperf_plan *)skel->rodata->plan,
		.held = &follower->held,
	};
}

uint64_t bperf_follower__lost(const struct bperf_follower *follower)
{
	return follower->skel->bss->lost;
}

uint64_t bperf_follower__skipped(const struct bperf_follower *follower)
{
	const struct bperf_follower_bpf *skel = follower->skel;

	return bpf_util__misses_of(bpf_program__fd(skel->progs.on_task)) +
	       bpf_util__misses_of(bpf_program__fd(skel->progs.on_new_task)) +
	       bpf_util__misses_of(bpf_program__fd(skel->progs.on_exit));
}
