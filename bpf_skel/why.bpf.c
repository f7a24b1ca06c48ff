// SPDX-License-Identifier: GPL-2.0-only
/* Records which kernel functions return an error in one thread. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "branches.bpf.h"
#include "why.h"

char LICENSE[] SEC("license") = "GPL";

/* The largest errno that the kernel passes in pointers (linux/err.h). */
#define MAX_ERRNO 4095

/* set before load: the thread's id in its pid namespace, and the namespace's device and inode */
const volatile __u32 tid = 0;
const volatile __u64 pid_ns_dev = 0;
const volatile __u64 pid_ns_ino = 0;

/* Number of entries in `seen`. User space resets it to 0 before each system call to be examined. */
__u32 nr_seen = 0;

/*
 * Index of a return with an error (0: the earliest) → function and value. Read by user space.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct why_return));
	__uint(max_entries, WHY_SEEN_MAX);
} seen SEC(".maps");

/* 0 → the branches before the latest return with an error on each CPU. Not read by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct branch_block));
	__uint(max_entries, 1);
} latest_branches SEC(".maps");

/* Index of a return with an error → the branches before it. Read by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct branch_block));
	__uint(max_entries, WHY_BRANCHES_KEPT);
} branches SEC(".maps");

/*
 * Called when a function returns an error in any thread. The program does not first check whether
 * the current thread is `tid`, because the check itself contains branches, which would overwrite
 * some of the recorded branches.
 */
static __always_inline struct branch_block *take_branches(void)
{
	struct branch_block *block;
	__u32 key = 0;

	block = bpf_map_lookup_elem(&latest_branches, &key);
	if (block)
		branches_take(block);
	return block;
}

static __always_inline int keep(bpf_user_pt_regs_t *ctx)
{
	struct why_return new = { .value = (__s32)ctx->PT_REGS_RETURN_FIELD };
	struct bpf_pidns_info ids;
	struct branch_block *block = 0;
	__u32 key = nr_seen;

	if (new.value >= 0 || new.value < -MAX_ERRNO || key >= WHY_SEEN_MAX)
		return 0;
	if (takes_branches)
		block = take_branches();
	if (bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_ino, &ids, sizeof(ids)) ||
	    ids.pid != tid)
		return 0;
	new.function = (__u32)bpf_get_attach_cookie(ctx);
	bpf_map_update_elem(&seen, &key, &new, BPF_ANY);
	if (block && key < WHY_BRANCHES_KEPT)
		bpf_map_update_elem(&branches, &key, block, BPF_ANY);
	nr_seen = key + 1;
	return 0;
}

SEC("kretprobe.multi")
int pstat_why(bpf_user_pt_regs_t *ctx)
{
	return keep(ctx);
}

/* For kernels on which user space must attach the program to each function separately. */
SEC("kretprobe")
int pstat_why_one(bpf_user_pt_regs_t *ctx)
{
	return keep(ctx);
}
