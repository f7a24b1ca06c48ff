// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-gate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/prog_profiler.h"
#include "bpf_skel/prog_gate.skel.h"
#include "util/base/reason.h"
#include "util/count/gate.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/share/gate-links.h"

struct prog_gate {
	const struct gate_points *points;
	struct prog_gate_bpf *skel;
	struct gate_links *links;
};

static int load(struct prog_gate *gate, const struct prog_shape *shape)
{
	struct prog_gate_bpf *skel = gate->skel;
	int err = gate_links__prepare(GATE_PROGRAMS(skel), gate->points);

	skel->rodata->filter = shape->filter;
	skel->rodata->pid_ns_dev = shape->pid_ns_dev;
	skel->rodata->pid_ns_ino = shape->pid_ns_ino;
	err = err ?: bpf_map__set_autocreate(skel->maps.cgroups, false);
	if (!err && shape->tasks_map >= 0)
		err = bpf_map__reuse_fd(skel->maps.tasks, shape->tasks_map);
	err = err ?: prog_gate_bpf__load(skel);
	/*
	 * libbpf tests whether the kernel can map arrays into memory. If memory runs out during
	 * this test, libbpf loads the programs without mapping the variables, and skel->data_gate
	 * is NULL.
	 */
	return err ?: skel->data_gate ? 0 : -ENOMEM;
}

int prog_gate__new(const struct gate_points *points, struct prog_shape *shape,
		   struct prog_gate **out)
{
	struct prog_gate *gate = calloc(1, sizeof(*gate));
	int err;

	*out = gate;
	if (!gate)
		return -ENOMEM;
	gate->points = points;
	gate->skel = prog_gate_bpf__open();
	err = gate->skel ? load(gate, shape) : -errno;
	if (err)
		return reason__set(shape->why, err,
				   "--start, --stop: cannot load the programs at the points: %s\n"
				   "-v shows libbpf's messages",
				   strerror(-err));
	shape->gate_map = bpf_map__fd(gate->skel->maps.data_gate);
	return 0;
}

int prog_gate__attach(struct prog_gate *gate, const struct prog_shape *shape, int fd)
{
	int err = gate_links__attach(GATE_PROGRAMS(gate->skel),
				     bpf_map__fd(gate->skel->maps.gate_changed), gate->points,
				     &gate->links, shape->why);

	return err ?: gate_links__wake_for(gate->links, fd);
}

struct gate *prog_gate__gate(const struct prog_gate *gate)
{
	return (struct gate *)&gate->skel->data_gate->gate;
}

void prog_gate__arm(struct prog_gate *gate)
{
	gate__arm(prog_gate__gate(gate), gate->points);
}

int prog_gate__wake_fd(const struct prog_gate *gate)
{
	return gate_links__wake_fd(gate->links);
}

void prog_gate__drain(struct prog_gate *gate)
{
	if (gate->links)
		gate_links__drain(gate->links);
}

void prog_gate__free(struct prog_gate *gate)
{
	if (!gate)
		return;
	gate_links__free(gate->links);
	prog_gate_bpf__destroy(gate->skel);
	free(gate);
}
