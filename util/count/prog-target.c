// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog-target.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "bpf_skel/prog_profiler.h"
#include "bpf_skel/prog_profiler.skel.h"
#include "util/base/log.h"
#include "util/machine/bpf-prog.h"

static unsigned int events_map_entries(const struct prog_shape *shape)
{
	unsigned int entries = (unsigned int)(shape->nr_events * shape->nr_cpus);

	return entries ? entries : 1;
}

int prog_shape__new_events_map(const struct prog_shape *shape)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "events", sizeof(__u32), sizeof(__u32),
				events_map_entries(shape), NULL);

	return fd < 0 ? -errno : fd;
}

static int target__prepare(struct prog_target *target, const struct prog_shape *shape)
{
	struct prog_profiler_bpf *skel = target->skel;
	const char *func = target->prog->func;
	int err;

	skel->rodata->nr_events = (__u32)shape->nr_events;
	skel->rodata->row_size = sizeof(struct bpf_perf_event_value) * (__u64)shape->nr_events;
	skel->rodata->nr_cpus = (__u32)shape->nr_cpus;
	err = bpf_map__set_max_entries(skel->maps.events, events_map_entries(shape));
	err = err ?: bpf_map__reuse_fd(skel->maps.events, shape->events_map);
	err = err ?: bpf_map__set_value_size(skel->maps.state, (__u32)shape->value_size);
	err = err ?: bpf_program__set_attach_target(skel->progs.run_begin, target->prog->fd, func);
	err = err ?: bpf_program__set_attach_target(skel->progs.run_end, target->prog->fd, func);
	return err;
}

int prog_target__load(struct prog_target *target, const struct prog_shape *shape)
{
	int err;

	target->skel = prog_profiler_bpf__open();
	err = target->skel ? target__prepare(target, shape) : -errno;
	err = err ?: prog_profiler_bpf__load(target->skel);
	if (err)
		pr_err("-b %u (%s): cannot load the counting programs: %s\n-v shows libbpf's messages",
		       target->prog->id, target->prog->name, strerror(-err));
	return err;
}

/* The end first: then every run whose begin is seen has its end seen too. */
int prog_target__attach(struct prog_target *target)
{
	target->end = bpf_program__attach_trace(target->skel->progs.run_end);
	if (target->end)
		target->begin = bpf_program__attach_trace(target->skel->progs.run_begin);
	if (!target->begin) {
		int err = -errno;

		if (err == -E2BIG)
			pr_err("-b %u (%s): the program's trampoline is full (E2BIG: 38 fentry and fexit programs)\n"
			       "end another tool that traces it",
			       target->prog->id, target->prog->name);
		else
			pr_err("-b %u (%s): cannot attach fentry and fexit: %s", target->prog->id, target->prog->name,
			       strerror(-err));
		return err;
	}
	return 0;
}

int prog_target__set_state(const struct prog_target *target, const char *values)
{
	__u32 key = 0;

	if (bpf_map_update_elem(bpf_map__fd(target->skel->maps.state), &key, values, BPF_ANY)) {
		int err = -errno;

		pr_err("-b %u (%s): cannot write the state map: %s", target->prog->id, target->prog->name,
		       strerror(-err));
		return err;
	}
	return 0;
}

int prog_target__read_state(const struct prog_target *target, char *values)
{
	__u32 key = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(target->skel->maps.state), &key, values)) {
		int err = -errno;

		pr_err("-b %u (%s): cannot read the counts: %s", target->prog->id, target->prog->name, strerror(-err));
		return err;
	}
	return 0;
}

void prog_target__set_gate(const struct prog_target *target, bool open)
{
	target->skel->bss->enabled = open;
}

uint64_t prog_target__missed(const struct prog_target *target)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_program__fd(target->skel->progs.run_begin);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.recursion_misses;
}

/* One of the fd, and one of each program that is attached to it (kernel/bpf/syscall.c, bpf_tracing_prog_attach). */
uint64_t prog_target__refs(const struct prog_target *target)
{
	return 1 + (target->begin != NULL) + (target->end != NULL);
}

void prog_target__close(struct prog_target *target)
{
	bpf_link__destroy(target->begin);
	bpf_link__destroy(target->end);
	prog_profiler_bpf__destroy(target->skel);
	bpf_prog__close(target->prog);
}
