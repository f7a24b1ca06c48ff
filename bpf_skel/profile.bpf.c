// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds up the samples of perf events by address or by stack. The kernel runs one of the programs in
 * this file at each sample. The program returns 0, so that the kernel does not store the sample.
 *
 * sample ──► sample__begin: event and its times ──► in a chosen program or its callees?
 *        ──► profile_lines[frames, event] += 1
 */
#include "profile_frames.bpf.h"

/* Frames in the chosen programs → sum of the samples. Written by BPF, read by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct profile_frames);
	__type(value, struct profile_value);
} profile_lines SEC(".maps");

/*
 * Counts a sample if it is in one of the chosen BPF programs (profile.h) or in code that a chosen
 * program called.
 */
SEC("perf_event")
int pstat_sample_progs(struct bpf_perf_event_data *ctx)
{
	struct sample sample;
	struct walk *walk;
	__u32 zero = 0;

	if (!sample__begin(ctx, &sample))
		return 0;
	walk = bpf_map_lookup_elem(&walks, &zero);
	if (!walk)
		return 0;
	if (walk_stack(ctx, walk)) {
		sample__drop(&sample, &sample.fate->no_stack);
	} else if (!walk->frames.nr) {
		sample__drop(&sample, &sample.fate->elsewhere);
	} else {
		walk->frames.event = sample.event;
		sample__keep(&sample, &profile_lines, &walk->frames);
	}
	return 0;
}

/* ---- stacks ---- */

/* Process and stacks → sum of the samples. Written by BPF, read by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct profile_stack_key);
	__type(value, struct profile_value);
} profile_stacks SEC(".maps");

/*
 * The maps of stacks. Key: an id that the kernel computes from the addresses. Value in
 * kernel_stacks: the addresses, the innermost address first. Value in user_stacks: a struct
 * bpf_stack_build_id for each address. The kernel never replaces an entry. User space sets the
 * number of entries and the size of a value, which limits the depth of a stack.
 */
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
} kernel_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(map_flags, BPF_F_STACK_BUILD_ID);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 32);
} user_stacks SEC(".maps");

/*
 * User stacks that the kernel could not add to user_stacks, because the entry with the same id
 * contains a different value. The value of one stack can differ between samples: if the kernel
 * cannot find the file of a frame when it takes a sample, it stores the address of the frame
 * instead of the build id.
 */
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(map_flags, BPF_F_STACK_BUILD_ID);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 32);
} user_stacks_too SEC(".maps");

/*
 * Index of an event → the number of its lost stacks, by reason. Written by BPF, read by user space.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_stack_fate);
} stack_fates SEC(".maps");

/* The process in which a stack was first sampled, and the name of the thread at that sample. */
struct stack_owner {
	__u64 comm[2];
	__u64 pid; /* 0: no process yet */
};

/* Id of a stack in user_stacks → its owner. Only BPF uses this map. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_owner);
} stack_owners SEC(".maps");

/*
 * Returns @id if it is the id of a stack. Otherwise, counts the error and returns
 * PROFILE_STACK_LOST.
 */
static __always_inline __s32 stack_or_why(const struct sample *sample, long id)
{
	struct profile_stack_fate *fate;

	if (id >= 0)
		return (__s32)id;
	fate = bpf_map_lookup_elem(&stack_fates, &sample->event);
	if (fate)
		add(id == -EEXIST ? &fate->collided :
		    id == -ENOMEM ? &fate->no_room :
				    &fate->failed,
		    1);
	return PROFILE_STACK_LOST;
}

/*
 * Returns whether the stack @id belongs to the process and thread name in @key. If the stack has no
 * owner yet, they become its owner.
 */
static __always_inline bool is_own_stack(__u32 id, const struct profile_stack_key *key)
{
	struct stack_owner *owner = bpf_map_lookup_elem(&stack_owners, &id);
	const __u64 *comm = (const __u64 *)(const void *)key->comm;

	if (!owner)
		return false;
	if (!owner->pid) {
		owner->comm[0] = comm[0];
		owner->comm[1] = comm[1];
		owner->pid = key->pid;
	}
	return owner->pid == key->pid && owner->comm[0] == comm[0] && owner->comm[1] == comm[1];
}

/*
 * Returns the id of the user stack, or -errno. Finding the build id of each frame takes ten times
 * as long as all other steps together. With BPF_F_FAST_STACK_CMP, the kernel does not look for
 * build ids if the map contains a stack with the same hash of the addresses. The hash is trusted
 * only if that stack was first seen in the same process, in a thread with the same name. Other
 * processes can have other files at the same addresses. So can the same process after it has
 * executed another program, but the name of its thread has then changed.
 */
static __always_inline long user_stackid(struct bpf_perf_event_data *ctx,
					 const struct profile_stack_key *key)
{
	long id = bpf_get_stackid(ctx, &user_stacks, BPF_F_USER_STACK | BPF_F_FAST_STACK_CMP);

	if (id >= 0 && is_own_stack((__u32)id, key))
		return id;
	if (id >= 0)
		id = bpf_get_stackid(ctx, &user_stacks, BPF_F_USER_STACK);
	if (id != -EEXIST)
		return id;
	id = bpf_get_stackid(ctx, &user_stacks_too, BPF_F_USER_STACK);
	return id < 0 ? id : id | PROFILE_SECOND_MAP;
}

/* Counts each sample by process and stacks. */
SEC("perf_event")
int pstat_sample_stacks(struct bpf_perf_event_data *ctx)
{
	struct profile_stack_key key = { .kernel = PROFILE_NO_STACK, .user = PROFILE_NO_STACK };
	__u64 ip = sample_ip(ctx);
	struct sample sample;
	long id;

	if (!sample__begin(ctx, &sample))
		return 0;
	key.event = sample.event;
	key.pid = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	if (is_kernel_ip(ip))
		key.kernel = stack_or_why(&sample, bpf_get_stackid(ctx, &kernel_stacks, 0));
	id = user_stackid(ctx, &key);
	/* -EFAULT: kernel threads and exiting tasks have no user stack */
	if (!is_kernel_ip(ip) || id != -EFAULT)
		key.user = stack_or_why(&sample, id);
	if ((is_kernel_ip(ip) ? key.kernel : key.user) == PROFILE_STACK_LOST)
		key.ip = ip;
	sample__keep(&sample, &profile_stacks, &key);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
