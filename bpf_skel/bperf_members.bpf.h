/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The members: the tasks that a session counts or (in profile_gate.bpf.c) samples. User space lists
 * members by id. With `from_exec`, a BPF program lists a member by the address of its task_struct
 * at the member's exec. Otherwise, outgoing_member() does so at the first reading while the member
 * is running. A child that becomes a member is listed by address from the start. From the creation
 * of a task (the tracepoint task_newtask) until its last context switch, no other task has the same
 * address.
 */
#ifndef PSTAT_BPERF_MEMBERS_BPF_H
#define PSTAT_BPERF_MEMBERS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"

/* ---- set before load ---- */
const volatile bool from_exec = false; /* members are counted only from their exec on */
/* device and inode number of the PID namespace of the members' ids; both 0: the initial one */
const volatile __u64 pidns_dev = 0, pidns_ino = 0;

/*
 * The number of tasks in `by_id`. User space sets the initial number before it attaches any
 * program. From then on, only BPF programs change the number.
 */
volatile __s32 pending = 0;
/* The filter for tasks that are listed by address (see BPERF_FILTER_BITS in bperf.h). */
__u64 member_bits[BPERF_FILTER_BITS / 64] = {};
/* The filter for tasks that are listed by id. */
__u64 named_bits[BPERF_FILTER_BITS / 64] = {};
/* The number of tasks in `more_members`. */
volatile __s32 nr_more = 0;

/*
 * Address of a task_struct → struct bperf_member. The map is preallocated, because memory cannot
 * always be allocated at a fork. Preallocating entries for very many tasks would be expensive, so
 * tasks that do not fit are added to `more_members`. User space sets the sizes of the three maps in
 * this file before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct bperf_member));
	__uint(max_entries, 1);
} members SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct bperf_member));
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
} more_members SEC(".maps");

/*
 * Id of a thread → struct bperf_member. User space adds the entries. outgoing_member() deletes an
 * entry when it lists the task by address. In profile_gate.bpf.c, on_exit() deletes the entry of an
 * exiting task.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_member));
	__uint(max_entries, 1);
} by_id SEC(".maps");

static __always_inline __u32 current_tid(void)
{
	struct bpf_pidns_info ids = {};

	if (!pidns_ino)
		return (__u32)bpf_get_current_pid_tgid();
	if (bpf_get_ns_current_pid_tgid(pidns_dev, pidns_ino, &ids, sizeof(ids)))
		return 0;
	return ids.pid;
}

/*
 * Returns the number of @task's bit in `member_bits`. In the product, higher bits depend on more
 * bits of @task, so the function uses bits of the upper half.
 */
static __always_inline __u32 bit_of(__u64 task)
{
	return (__u32)(task * 0x9E3779B97F4A7C15ULL >> 32) % BPERF_FILTER_BITS;
}

static __always_inline bool has_bit(const __u64 *bits, __u32 bit)
{
	return bits[bit / 64] >> (bit % 64) & 1;
}

static __always_inline struct bperf_member *find_member(__u64 task)
{
	struct bperf_member *member;

	if (!has_bit(member_bits, bit_of(task)))
		return 0;
	member = bpf_map_lookup_elem(&members, &task);
	return member || !nr_more ? member : bpf_map_lookup_elem(&more_members, &task);
}

static __always_inline long add_member(__u64 task, const struct bperf_member *member)
{
	__u32 bit = bit_of(task);
	long err;

	/* set the bit first, so that a concurrent lookup does not miss the member */
	__sync_fetch_and_or(&member_bits[bit / 64], 1ULL << (bit % 64));
	err = bpf_map_update_elem(&members, &task, member, BPF_ANY);
	if (!err)
		return 0;
	__sync_fetch_and_add(&nr_more, 1);
	err = bpf_map_update_elem(&more_members, &task, member, BPF_ANY);
	if (err)
		__sync_fetch_and_add(&nr_more, -1);
	return err;
}

static __always_inline void drop_current(void)
{
	__u64 task = bpf_get_current_task();

	if (bpf_map_delete_elem(&members, &task) && nr_more &&
	    !bpf_map_delete_elem(&more_members, &task))
		__sync_fetch_and_add(&nr_more, -1);
}

/* Returns the running task's entry in `by_id`, or NULL. Stores the task's id in *@tid. */
static __always_inline struct bperf_member *find_named(__u32 *tid)
{
	*tid = current_tid();
	return has_bit(named_bits, *tid % BPERF_FILTER_BITS) ? bpf_map_lookup_elem(&by_id, tid) : 0;
}

/*
 * Returns the running task's entry, found by address or by id, or NULL if the task is not a member.
 */
static __always_inline struct bperf_member *current_member(void)
{
	struct bperf_member *member = find_member(bpf_get_current_task());
	__u32 tid;

	return member || !pending ? member : find_named(&tid);
}

/*
 * Returns the entry of the task that leaves the CPU, or NULL if the task is not a member. If the
 * task is listed by id, lists the task by address instead. With `from_exec`, returns NULL before
 * the task's exec, at which a BPF program lists the task by address.
 */
static __always_inline struct bperf_member *outgoing_member(void)
{
	__u64 task = bpf_get_current_task();
	struct bperf_member *member = find_member(task);
	__u32 tid;

	if (member || from_exec || !pending)
		return member;
	member = find_named(&tid);
	if (!member || add_member(task, member))
		return member;
	if (!bpf_map_delete_elem(&by_id, &tid))
		__sync_fetch_and_add(&pending, -1);
	return find_member(task);
}

#endif
