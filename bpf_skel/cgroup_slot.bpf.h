/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the slot of a task (see cgroup_counter.h): the slot of the nearest listed cgroup that
 * contains the task.
 */
#ifndef PSTAT_CGROUP_SLOT_BPF_H
#define PSTAT_CGROUP_SLOT_BPF_H

#include "cgroup_kernel.bpf.h"
#include "cgroup_maps.bpf.h"

/*
 * In the caches, a cgroup is identified by its key (key_of()). The low bits of the key are the
 * cgroup's serial number plus 1; the upper bits are control.generation. Even if a cgroup is created
 * every microsecond, the serial numbers suffice for twelve days.
 */
#define SERIAL_BITS 40

/*
 * Returns the cgroup that @set refers to in the counted hierarchy (see use_v1). @typed: true if the
 * verifier treats @set and the result as pointers to kernel types; false if it treats them as plain
 * numbers.
 */
static __always_inline struct cgroup *cgroup_of(struct css_set *set, bool typed)
{
	if (typed)
		return use_v1 ? set->perf_cgroup->cgroup : set->dfl_cgrp;
	return use_v1 ? BPF_CORE_READ(set, perf_cgroup, cgroup) : BPF_CORE_READ(set, dfl_cgrp);
}

struct walk {
	__u64 cgroup; /* address */
	__u64 slot;
};

/* Called repeatedly by bpf_loop(). Climbs one level. Returns 1 at a listed cgroup or the root. */
static long walk_up(__u32 nr, struct walk *walk)
{
	struct cgroup *cgroup = (struct cgroup *)walk->cgroup;
	struct cgroup_subsys_state *parent;
	__u64 id = BPF_CORE_READ(cgroup, kn, id);
	__u32 *slot = bpf_map_lookup_elem(&slots, &id);

	(void)nr;
	if (slot) {
		walk->slot = *slot;
		return 1;
	}
	parent = BPF_CORE_READ(cgroup, self.parent);
	if (!parent)
		return 1;
	walk->cgroup = (__u64)BPF_CORE_READ(parent, cgroup);
	return 0;
}

/*
 * Returns the slot for tasks of the cgroup at the address @cgroup. The function is not static,
 * because the verifier checks a global function only once, but a static function at each call.
 */
__noinline __u64 look_up(__u64 cgroup)
{
	struct walk walk = { .cgroup = cgroup };

	bpf_loop(1 << 16, walk_up, &walk, 0);
	return walk.slot;
}

/*
 * Returns the key of @cgroup. Keys are not 0, and different cgroups have different keys. A key is
 * valid until slots are assigned or released.
 */
static __always_inline __u64 key_of(struct cgroup *cgroup, bool typed)
{
	__u64 serial = typed ? cgroup->self.serial_nr : BPF_CORE_READ(cgroup, self.serial_nr);

	return serial + 1 + (control.generation << SERIAL_BITS);
}

static __always_inline bool is_same_group(__u64 key, __u64 other)
{
	return !((key ^ other) << (64 - SERIAL_BITS));
}

static __always_inline __u64 slot_of(struct cgroup_cpu *cpu, struct cgroup *cgroup, __u64 key)
{
	struct cgroup_cached *cached = &cpu->cache[key % CGROUP_CACHE];

	if (cached->key != key) {
		/* writing the pointer to memory turns it into a plain number for the verifier */
		*(volatile __u64 *)&cached->slot = (__u64)cgroup;
		cached->slot = look_up(*(volatile __u64 *)&cached->slot);
		cached->key = key;
	}
	return cached->slot;
}

#endif
