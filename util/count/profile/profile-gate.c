// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/profile-gate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>
#include "bpf_skel/bperf.h"
#include "bpf_skel/gate.h"
#include "bpf_skel/profile_gate.skel.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/gate.h"
#include "util/count/share/gate-links.h"
#include "util/count/stat-config.h"
#include "util/machine/task/pid-ns.h"
#include "util/machine/task/threadmap.h"

/*
 * The number of child tasks for which memory is allocated in advance, because the BPF program at a
 * fork cannot always allocate memory.
 */
#define ROOM_FOR_CHILDREN 256
/* The number of further child tasks, for which memory is allocated when they are added. */
#define ROOM_FOR_MORE (65536 - ROOM_FOR_CHILDREN)

#define NR_LINKS 3

struct profile_gate {
	const struct gate_points *points;
	struct profile_gate_bpf *skel;
	struct gate_links *points_links;
	/* the links of the programs that follow the sampled tasks (at fork, exec and exit) */
	struct bpf_link *links[NR_LINKS];
	int nr_links;
};

/* ---- loading ---- */

static int set_pid_ns(struct profile_gate_bpf *skel)
{
	struct pid_ns ns;
	int err = pid_ns__find(sysroots__host(), 0, &ns);

	if (err || pid_ns__is_first(&ns))
		return err;
	skel->rodata->pidns_dev = ns.dev;
	skel->rodata->pidns_ino = ns.ino;
	return 0;
}

/*
 * Sets the constants and the sizes of the maps, and chooses the programs to load. @threads are the
 * tasks that can open and close the gate; NULL: all tasks.
 */
static int prepare(struct profile_gate *gate, const struct threadmap *threads,
		   const struct stat_config *cfg)
{
	struct profile_gate_bpf *skel = gate->skel;
	__u32 nr = threads ? (__u32)threads->nr : 0;
	bool from_exec = threads && stat_config__starts_at_exec(cfg);
	bool inherit = threads && cfg->inherit;
	int err = gate_links__prepare(GATE_PROGRAMS(skel), gate->points);

	skel->rodata->everybody = !threads;
	skel->rodata->from_exec = from_exec;
	if (threads)
		err = err ?: set_pid_ns(skel);
	err = err ?: bpf_program__set_autoload(skel->progs.on_exec, from_exec);
	err = err ?: bpf_program__set_autoload(skel->progs.on_new_task, inherit);
	err = err ?: bpf_program__set_autoload(skel->progs.on_exit, threads);
	err = err ?: bpf_map__set_max_entries(skel->maps.by_id, nr ?: 1);
	err = err   ?:
		      bpf_map__set_max_entries(skel->maps.members,
					       threads ? nr + ROOM_FOR_CHILDREN : 1);
	return err   ?:
		       bpf_map__set_max_entries(skel->maps.more_members,
						inherit ? ROOM_FOR_MORE : 1);
}

static int name_threads(struct profile_gate_bpf *skel, const struct threadmap *threads)
{
	const struct bperf_member member = {
		.flags = skel->rodata->from_exec ? BPERF_MEMBER_WAITS : 0,
	};

	for (int i = 0; threads && i < threads->nr; i++) {
		unsigned int bit = (unsigned int)threads->tids[i] % BPERF_FILTER_BITS;

		skel->bss->named_bits[bit / 64] |= 1ULL << (bit % 64);
		if (bpf_map_update_elem(bpf_map__fd(skel->maps.by_id), &threads->tids[i], &member,
					BPF_ANY))
			return -errno;
	}
	skel->bss->pending = threads ? threads->nr : 0;
	return 0;
}

static int load(struct profile_gate *gate, const struct backend_group *group,
		const struct stat_config *cfg)
{
	/* if CPUs are sampled, any task can open and close the gate */
	const struct threadmap *threads = stat_config__per_task(cfg) ? group->threads : NULL;
	struct profile_gate_bpf *skel = gate->skel;
	int err = prepare(gate, threads, cfg);

	err = err ?: profile_gate_bpf__load(skel);
	/*
	 * libbpf tests whether the kernel allows mmap(2) of BPF arrays. If memory runs out during
	 * this test, libbpf loads the programs, but does not map the variables. In this case,
	 * skel->data_gate and skel->bss are NULL.
	 */
	if (!err && (!skel->data_gate || !skel->bss))
		err = -ENOMEM;
	return err ?: name_threads(skel, threads);
}

int profile_gate__new(const struct backend_group *group, const struct stat_config *cfg,
		      struct profile_gate **out)
{
	struct profile_gate *gate = calloc(1, sizeof(*gate));
	int err;

	*out = gate;
	if (!gate)
		return -ENOMEM;
	gate->points = cfg->points;
	gate->skel = profile_gate_bpf__open();
	err = gate->skel ? load(gate, group, cfg) : -errno;
	return reason__set(group->why, err,
			   "--start, --stop: cannot load the programs at the points: %s\n"
			   "-v shows libbpf's messages",
			   strerror(-err));
}

/* ---- attaching ---- */

/* Attaches @prog to @tracepoint, unless prepare() decided that @prog is not needed. */
static int attach(struct profile_gate *gate, const struct bpf_program *prog, const char *tracepoint)
{
	struct bpf_link *link;

	if (!bpf_program__autoload(prog))
		return 0;
	link = bpf_program__attach_raw_tracepoint(prog, tracepoint);
	if (!link)
		return -errno;
	gate->links[gate->nr_links++] = link;
	return 0;
}

int profile_gate__attach(struct profile_gate *gate, const struct backend_group *group, int fd)
{
	const struct profile_gate_bpf *skel = gate->skel;
	int err = attach(gate, skel->progs.on_exit, "sched_process_exit");

	err = err ?: attach(gate, skel->progs.on_new_task, "sched_wakeup_new");
	err = err ?: attach(gate, skel->progs.on_exec, "task_rename");
	if (err)
		return reason__set(group->why, err,
				   "--start, --stop: cannot attach to the points at which tasks "
				   "begin and end: %s",
				   strerror(-err));
	err = gate_links__attach(GATE_PROGRAMS(skel), bpf_map__fd(skel->maps.gate_changed),
				 gate->points, &gate->points_links, group->why);
	return err ?: gate_links__wake_for(gate->points_links, fd);
}

void profile_gate__free(struct profile_gate *gate)
{
	if (!gate)
		return;
	gate_links__free(gate->points_links);
	for (int i = 0; i < gate->nr_links; i++)
		bpf_link__destroy(gate->links[i]);
	profile_gate_bpf__destroy(gate->skel);
	free(gate);
}

/* ---- while pstat samples ---- */

struct gate *profile_gate__gate(const struct profile_gate *gate)
{
	return (struct gate *)&gate->skel->data_gate->gate;
}

int profile_gate__map_fd(const struct profile_gate *gate)
{
	return gate ? bpf_map__fd(gate->skel->maps.data_gate) : -1;
}

int profile_gate__wake_fd(const struct profile_gate *gate)
{
	return gate_links__wake_fd(gate->points_links);
}

void profile_gate__arm(struct profile_gate *gate)
{
	if (gate)
		gate__arm(profile_gate__gate(gate), gate->points);
}

void profile_gate__disarm(struct profile_gate *gate)
{
	if (gate)
		gate__disarm(profile_gate__gate(gate));
}

void profile_gate__drain(struct profile_gate *gate)
{
	if (gate && gate->points_links)
		gate_links__drain(gate->points_links);
}
