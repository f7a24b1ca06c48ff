/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports to user space that a cgroup below the mounted cgroup (root_id) was created or removed. */
#ifndef PSTAT_CGROUP_MESSAGE_BPF_H
#define PSTAT_CGROUP_MESSAGE_BPF_H

#include "cgroup_slot.bpf.h"

struct climb {
	__u64 cgroup; /* address; 0 after the mounted cgroup has been reached */
};

/*
 * Called repeatedly by bpf_loop(). Climbs one level. Returns 1 at the mounted cgroup or the root.
 */
static long climb_up(__u32 nr, struct climb *climb)
{
	struct cgroup *cgroup = (struct cgroup *)climb->cgroup;
	struct cgroup_subsys_state *parent = BPF_CORE_READ(cgroup, self.parent);

	(void)nr;
	if (BPF_CORE_READ(cgroup, kn, id) == root_id)
		climb->cgroup = 0;
	if (!climb->cgroup || !parent)
		return 1;
	climb->cgroup = (__u64)BPF_CORE_READ(parent, cgroup);
	return 0;
}

/*
 * Returns how many levels @cgroup is below the mounted cgroup, or 0 if @cgroup is not below the
 * mounted cgroup. The tracepoints also report cgroups of other hierarchies (v1), and such a cgroup
 * can have the same id as a cgroup of the counted hierarchy. The function therefore compares the
 * member `root`, which identifies the hierarchy, with that of the running task's cgroup in the
 * counted hierarchy.
 */
static __always_inline __u32 levels_of(struct cgroup *cgroup)
{
	struct task_struct *current = (struct task_struct *)bpf_get_current_task();
	struct cgroup *mine = cgroup_of(BPF_CORE_READ(current, cgroups), false);
	struct climb climb = { .cgroup = (__u64)cgroup };
	long climbed;

	if (BPF_CORE_READ(cgroup, root) != BPF_CORE_READ(mine, root))
		return 0;
	climbed = bpf_loop(1 << 16, climb_up, &climb, 0);
	return climbed > 0 && !climb.cgroup ? climbed - 1 : 0;
}

static __always_inline void send_message(struct cgroup *cgroup, const void *path, __u32 slot,
					 bool removed, __u32 levels)
{
	struct cgroup_message *message = bpf_ringbuf_reserve(&wakeups, sizeof(*message), 0);

	if (!message) {
		__sync_fetch_and_add(&control.lost_messages, 1);
		return;
	}
	message->id = BPF_CORE_READ(cgroup, kn, id);
	message->slot = slot;
	message->removed = removed;
	message->levels = levels;
	bpf_probe_read_kernel_str(message->path, sizeof(message->path), path);
	bpf_ringbuf_submit(message, 0);
}

#endif
