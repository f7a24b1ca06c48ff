/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF objects bperf_follower and bperf_alone have in common (bpf_skel/bperf_tasks.bpf.h).
 * The functions that prepare a follower use a struct of pointers instead of a skeleton, because the
 * skeletons of the two objects have different types.
 */
#ifndef PSTAT_COUNT_BPERF_PARTS_H
#define PSTAT_COUNT_BPERF_PARTS_H

#include <stdbool.h>

#include "bpf_skel/bperf.h"

struct bpf_map;
struct bpf_program;

/* Programs, maps and variables of a skeleton, which owns all of them. */
struct bperf_parts {
	struct bpf_program *on_task, *on_new_task, *on_exit_exact, *on_exit;
	struct bpf_map *source, *members, *more_members, *by_id, *events, *before, *totals, *cpus;
	/* constants of the programs, which must be set before the object is loaded */
	__s32 *task_state_offset;
	__u64 *pidns_dev, *pidns_ino;
	__u32 *nr_events, *nr_cpus, *nr_rows;
	struct bperf_plan *plan;
	bool *from_exec, *everybody, *of_pstat, *inherit, *only_switches;
	/* variables of the programs, which can be used after the object is loaded */
	__s32 *pending;
	__u64 *named_bits, *on_ns, *off_ns, *lost;
	__u32 *enabled;
};

/*
 * Evaluates to the parts (struct bperf_parts) of a skeleton. libbpf may move the variables when it
 * loads the object, so this macro must be used again afterwards. (skel)->bss and (skel)->rodata
 * must not be NULL.
 */
#define BPERF_PARTS(skel)                                                \
	((struct bperf_parts){                                           \
		.on_task = (skel)->progs.on_task,                        \
		.on_new_task = (skel)->progs.on_new_task,                \
		.on_exit_exact = (skel)->progs.on_exit_exact,            \
		.on_exit = (skel)->progs.on_exit,                        \
		.source = (skel)->maps.source,                           \
		.members = (skel)->maps.members,                         \
		.more_members = (skel)->maps.more_members,               \
		.by_id = (skel)->maps.by_id,                             \
		.events = (skel)->maps.events,                           \
		.before = (skel)->maps.before,                           \
		.totals = (skel)->maps.totals,                           \
		.cpus = (skel)->maps.cpus,                               \
		.task_state_offset = &(skel)->rodata->task_state_offset, \
		.pidns_dev = &(skel)->rodata->pidns_dev,                 \
		.pidns_ino = &(skel)->rodata->pidns_ino,                 \
		.nr_events = &(skel)->rodata->nr_events,                 \
		.nr_cpus = &(skel)->rodata->nr_cpus,                     \
		.nr_rows = &(skel)->rodata->nr_rows,                     \
		.plan = (struct bperf_plan *)(skel)->rodata->plan,       \
		.from_exec = &(skel)->rodata->from_exec,                 \
		.everybody = &(skel)->rodata->everybody,                 \
		.of_pstat = &(skel)->rodata->of_pstat,                   \
		.inherit = &(skel)->rodata->inherit,                     \
		.only_switches = &(skel)->rodata->only_switches,         \
		.pending = &(skel)->bss->pending,                        \
		.named_bits = (skel)->bss->named_bits,                   \
		.on_ns = &(skel)->bss->on_ns,                            \
		.off_ns = &(skel)->bss->off_ns,                          \
		.lost = &(skel)->bss->lost,                              \
		.enabled = &(skel)->bss->enabled,                        \
	})

#endif
