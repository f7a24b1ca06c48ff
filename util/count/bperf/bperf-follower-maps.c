// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-follower-maps.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/count/bperf/bperf-follower.h"
#include "util/count/bperf/bperf-parts.h"
#include "util/count/bperf/bpf-tasks.h"
#include "util/machine/task/pid-ns.h"
#include "util/machine/task/threadmap.h"

/*
 * From the start, the map `members` has memory for this number of children of counted tasks.
 * Further children are added to `more_members`, for which the kernel allocates memory while pstat
 * counts.
 */
#define ROOM_FOR_CHILDREN 256
#define ROOM_FOR_MORE (BPERF_ROOM_FOR_TASKS - ROOM_FOR_CHILDREN)

int bperf_follower__set_sizes(const struct bperf_parts *parts, const struct bperf_plan *plan,
			      int nr, const struct bperf_target *target)
{
	__u32 threads = target->threads ? (__u32)target->threads->nr : 0;
	__u32 slots = target->per_thread ? threads : 1,
	      members = threads + (target->inherit ? ROOM_FOR_CHILDREN : 0);
	struct pid_ns pid_ns;
	int err;

	*parts->nr_events = (__u32)nr;
	memcpy(parts->plan, plan, sizeof(*plan) * (size_t)nr);
	*parts->everybody = !target->threads;
	*parts->inherit = target->inherit;
	*parts->from_exec = target->from_exec;
	bpf_tasks__find_pid_ns(sysroots__host(), target->threads, &pid_ns);
	*parts->pidns_dev = pid_ns.dev;
	*parts->pidns_ino = pid_ns.ino;
	err = bpf_map__set_value_size(parts->totals,
				      (__u32)(sizeof(struct bpf_perf_event_value) * (size_t)nr));
	err = err ?: bpf_map__set_max_entries(parts->totals, slots ? slots : 1);
	err = err ?: bpf_map__set_max_entries(parts->members, target->threads ? members + 1 : 1);
	err = err   ?:
		      bpf_map__set_max_entries(parts->more_members,
					       target->inherit ? ROOM_FOR_MORE : 1);
	return err ?: bpf_map__set_max_entries(parts->by_id, threads ? threads : 1);
}

int bperf_follower__drop_foreign_maps(const struct bperf_parts *parts)
{
	int err = bpf_map__set_autocreate(parts->before, false);

	return err ?: bpf_map__set_autocreate(parts->cpus, false);
}

int bperf_follower__name_threads(const struct bperf_parts *parts, const struct bperf_target *target)
{
	const struct threadmap *threads = target->threads;

	for (int i = 0; threads && i < threads->nr; i++) {
		struct bperf_member member = {
			.slot = target->per_thread ? (__u32)i : 0,
			.flags = target->from_exec ? BPERF_MEMBER_WAITS : 0,
		};

		parts->named_bits[threads->tids[i] % BPERF_FILTER_BITS / 64] |=
			1ULL << (threads->tids[i] % BPERF_FILTER_BITS % 64);
		if (bpf_map_update_elem(bpf_map__fd(parts->by_id), &threads->tids[i], &member,
					BPF_ANY))
			return -errno;
	}
	*parts->pending = threads ? threads->nr : 0;
	return 0;
}
