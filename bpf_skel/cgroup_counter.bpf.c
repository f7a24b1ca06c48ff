// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts perf events by control group: at a context switch from a task of one slot to one of another, the counters of the CPU are
 * read, and what they counted since the last reading is the outgoing slot's.
 *
 *	switch A ─► A		nothing is read
 *	switch A ─► B		now = all counters; row[A] += now - last; last = now; from here it is B that runs
 *	settle			the same for what runs now: at the start, at each interval, and before the end
 *
 * A slice is charged to the slot that it began in. When a task is moved while it runs, its CPU is settled: at once when the task
 * moved itself, else by user space, which `on_move` wakes. However late that is, or should the task be switched away before, the
 * time of the move is known, and what was counted is divided there.
 *
 * On a CPU all of this runs with interrupts off, but for `on_move` and the settling of the CPU that user space itself runs on: an
 * interrupt may then bring another, which `busy` keeps away.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "cgroup_counter.h"
#include "perf_read.bpf.h"

/* A new group a microsecond for twelve days; what is above counts generations of slots. */
#define SERIAL_BITS 40
#define MAX_CELLS (CGROUP_CELL_PLAIN + CGROUP_MAX_PLAIN + 3 * CGROUP_MAX_TIMED)

char LICENSE[] SEC("license") = "GPL";

/*
 * Fields of the kernel's structs. Offsets come from the running kernel, by way of a BTF that user space makes of these few types
 * alone. `perf_cgroup` stands for css_set's subsys[perf_event_cgrp_id].
 */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct kernfs_node {
	__u64 id;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
	__u64 serial_nr;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	void *root; /* of the hierarchy */
};

struct css_set {
	struct cgroup_subsys_state *perf_cgroup;
	struct cgroup *dfl_cgrp;
};

struct rq {
	__u64 clock; /* ns, as it was at the beginning of a switch */
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	__u64 sum_exec_runtime;
	__u64 prev_sum_exec_runtime; /* when it was switched to last, or its place in the scheduler changed, as it does at exit */
	struct cfs_rq *cfs_rq; /* not in each kernel */
};

struct sched_info {
	__u64 last_arrival; /* rq.clock when it was switched to last */
};

struct task_struct {
	__s32 tgid;
	struct sched_entity se;
	struct sched_info sched_info; /* not in each kernel */
	struct css_set *cgroups;
};
#pragma clang attribute pop

/* set before load */
const volatile __u32 nr_plain = 0;
const volatile __u32 nr_timed = 0;
const volatile __u32 nr_cells = CGROUP_CELL_PLAIN;
const volatile __u32 nr_cpus = 1; /* largest possible CPU id + 1 */
const volatile __u32 nr_slots = 1;
const volatile bool use_v1 = false; /* the groups are of v1's perf_event hierarchy */

const volatile __u64 root_id = 0; /* of the group that is mounted: in a cgroup namespace not the hierarchy's own root */

/* What may change while it runs; user space maps it. */
struct cgroup_control control SEC(".data.control") = { .generation = 1, .epoch = 1, .nr_used = 1 };

/* event × nr_cpus + CPU id → the perf event there, plain ones first. Written by user space, read here. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(map_flags, 2048 /* BPF_F_PRESERVE_ELEMS: they stay when who put them in has gone */);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/* id of a control group → its slot. Written by user space, and here for groups that are made; read here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, 1 /* BPF_F_NO_PREALLOC */);
	__type(key, __u64);
	__type(value, __u32);
	__uint(max_entries, 1);
} slots SEC(".maps");

/* CPU id → struct cgroup_cpu and two rows of cells. Written here, read by user space; the size is set before load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, 1024 /* BPF_F_MMAPABLE */);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct cgroup_cpu));
	__uint(max_entries, 1);
} cpus SEC(".maps");

/* CPU id × nr_slots + slot → a row of cells. Written here by that CPU, read by user space; the size is set before load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, 1024 /* BPF_F_MMAPABLE */);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * CGROUP_CELL_PLAIN);
	__uint(max_entries, 1);
} rows SEC(".maps");

/* Slots for groups to come. Filled by user space, emptied here. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__type(value, __u32);
	__uint(max_entries, CGROUP_RESERVE);
} reserve SEC(".maps");

/* process → when it, or a thread of it, was moved last, in ns. Written and read here; those of long ago make room. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 1024);
} moves SEC(".maps");

/* For each move of a task that user space is to look after 8 bytes, for each group made or removed a struct cgroup_message. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakeups SEC(".maps");

/*
 * Of a leader that sessions share. No code here uses them: bound to the program by user space they live as long, and tell other
 * sessions what it counts. The one struct cgroup_info; slot → its group. Written by user space, read there.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct cgroup_info);
	__uint(max_entries, 1);
} info SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, 1024 /* BPF_F_MMAPABLE */);
	__type(key, __u32);
	__type(value, struct cgroup_member);
	__uint(max_entries, 1);
} members SEC(".maps");

static __always_inline struct cgroup *cgroup_of(struct task_struct *task)
{
	struct css_set *set = task->cgroups;

	return use_v1 ? set->perf_cgroup->cgroup : set->dfl_cgrp;
}

/* ---- which slot ---- */

struct walk {
	__u64 cgroup; /* address */
	__u64 slot;
};

/* bpf_loop(): one level up each time, until a listed group is found or the root was. */
static long walk_up(__u32 nr, struct walk *walk)
{
	struct cgroup *cgroup = (struct cgroup *)walk->cgroup;
	struct cgroup_subsys_state *parent;
	__u64 id = BPF_CORE_READ(cgroup, kn, id);
	__u32 *slot = bpf_map_lookup_elem(&slots, &id);

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

/* @cgroup: its address. Not static, as is `divide`: such a function is verified once, and not at each call. */
__noinline __u64 look_up(__u64 cgroup)
{
	struct walk walk = { .cgroup = cgroup };

	bpf_loop(1 << 16, walk_up, &walk, 0);
	return walk.slot;
}

/* Never that of another group, and of this one only as long as slots are neither given nor taken. Not 0. */
static __always_inline __u64 key_of(struct cgroup *cgroup)
{
	return cgroup->self.serial_nr + 1 + (control.generation << SERIAL_BITS);
}

static __always_inline bool is_same_group(__u64 key, __u64 other)
{
	return !((key ^ other) << (64 - SERIAL_BITS));
}

static __always_inline __u64 slot_of(struct cgroup_cpu *cpu, struct cgroup *cgroup, __u64 key)
{
	struct cgroup_cached *cached = &cpu->cache[key % CGROUP_CACHE];

	if (cached->key != key) {
		/* what was a pointer has to come from memory to be a number */
		*(volatile __u64 *)&cached->slot = (__u64)cgroup;
		cached->slot = look_up(*(volatile __u64 *)&cached->slot);
		cached->key = key;
	}
	return cached->slot;
}

/* ---- readings ---- */

/* One that cannot be read stays where it was. */
static __always_inline __u64 read_plain(struct cgroup_cpu *cpu, __u32 event, __u64 last, __u32 id)
{
	__u64 value = bpf_perf_event_read(&events, event * nr_cpus + id);

	if (!is_read_error(value))
		return value;
	if (value != (__u64)-ENOENT)
		cpu->read_errors++;
	return last;
}

static __always_inline void read_timed(struct cgroup_cpu *cpu, __u32 event, __u64 *now, const __u64 *last, __u32 id)
{
	struct bpf_perf_event_value value;
	long err = bpf_perf_event_read_value(&events, (nr_plain + event) * nr_cpus + id, &value, sizeof(value));

	if (err) {
		if (err != -ENOENT)
			cpu->read_errors++;
		value.counter = last[0];
		value.enabled = last[1];
		value.running = last[2];
	}
	now[0] = value.counter;
	now[1] = value.enabled;
	now[2] = value.running;
}

static __always_inline void take(struct cgroup_cpu *cpu, __u64 *now, const __u64 *last, __u32 id)
{
	now[CGROUP_CELL_TIME] = bpf_ktime_get_ns();
	now[CGROUP_CELL_SWITCHES] = cpu->switches;
	now[CGROUP_CELL_CROSSED] = cpu->crossed;
	for (__u32 i = 0; i < CGROUP_MAX_PLAIN && i < nr_plain; i++)
		now[CGROUP_CELL_PLAIN + i] = read_plain(cpu, i, last[CGROUP_CELL_PLAIN + i], id);
	for (__u32 i = 0; i < CGROUP_MAX_TIMED && i < nr_timed; i++) {
		__u32 cell = CGROUP_CELL_PLAIN + nr_plain + 3 * i;

		read_timed(cpu, i, &now[cell], &last[cell], id);
	}
}

static __always_inline __u64 *row_of(__u32 slot, __u32 id)
{
	__u32 key = id * nr_slots + slot;

	return bpf_map_lookup_elem(&rows, &key);
}

static __always_inline void add(const struct cgroup_cpu *cpu, const __u64 *now, const __u64 *last, __u32 id)
{
	__u64 *row = row_of(cpu->slot, id);

	for (__u32 i = 0; row && i < MAX_CELLS && i < nr_cells; i++)
		row[i] += now[i] - last[i];
}

/* @delta × @share / 2^20, to the nearest: what is counted in a few must not come to less for a share of nearly all. */
static __always_inline __u64 scale(__u64 delta, __u64 share)
{
	return (delta >> 20) * share + (((delta & ((1 << 20) - 1)) * share + (1 << 19)) >> 20);
}

/*
 * From @when on the slice on the CPU @id was no longer that of the slot that it began in, but of @to. By now some time has gone by:
 * what was counted is divided as if it had been counted evenly. 0, or 1 when it cannot be.
 */
__noinline int divide(__u32 id, __u32 to, __u64 when)
{
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	__u64 share = 1 << 20, began, length, *last, *now, *before, *after;

	if (!cpu)
		return 1;
	last = (__u64 *)(cpu + 1);
	now = last + nr_cells;
	before = row_of(cpu->slot, id);
	after = row_of(to, id);
	if (!before || !after)
		return 1;
	began = last[CGROUP_CELL_TIME];
	length = now[CGROUP_CELL_TIME] - began;
	if (when <= began)
		share = 0;
	else if (when - began < length)
		share = ((when - began) << 20) / length;
	for (__u32 i = 0; i < MAX_CELLS && i < nr_cells; i++) {
		__u64 delta = now[i] - last[i], first = scale(delta, share);

		before[i] += first;
		after[i] += delta - first;
	}
	return 0;
}

/* A slice that became another slot's before its end: at @when ns, and 0 is never. */
struct turn {
	__u32 to;
	__u64 when;
};

/* From here on it is @slot that counts on this CPU, or nothing when @want is false. */
static __always_inline void turn_to(struct cgroup_cpu *cpu, __u32 slot, __u32 want, struct turn turn, __u32 id)
{
	__u64 *last = (__u64 *)(cpu + 1), *now = last + nr_cells;

	take(cpu, now, last, id);
	if (cpu->on && turn.when)
		divide(id, turn.to, turn.when);
	else if (cpu->on)
		add(cpu, now, last, id);
	for (__u32 i = 0; i < MAX_CELLS && i < nr_cells; i++)
		last[i] = now[i];
	cpu->slot = slot;
	cpu->on = want;
}

/* For how long the running task, which is leaving, has run, in ns. */
static __always_inline __u64 time_since_arrival(struct task_struct *task)
{
	__u64 clock, arrival;

	if (!bpf_core_field_exists(task->sched_info))
		return task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;
	clock = task->se.cfs_rq->rq->clock;
	arrival = task->sched_info.last_arrival;
	return arrival && arrival < clock ? clock - arrival : 0; /* the idle task never arrives */
}

/*
 * The slice on the CPU @id ends with the running task in the slot @slot, and did not begin so: when was the turn? 0 when that is not known.
 *
 * Either another task was seen to begin: there are kernels that hide some switches of some tasks. The scheduler knows when this one came. Or
 * it was moved; what it did before was not for @slot.
 */
__noinline __u64 find_turn(__u32 id, __u32 slot)
{
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	__u32 process = bpf_get_current_pid_tgid() >> 32;
	__u64 *moved = bpf_map_lookup_elem(&moves, &process), *row, when = moved ? *moved : 0, came;
	struct task_struct *task = bpf_get_current_task_btf();

	if (!cpu || cpu->task == bpf_get_current_task())
		return when;
	cpu->unseen++;
	cpu->guessed += slot != cpu->slot;
	row = row_of(cpu->slot, id);
	if (row)
		row[CGROUP_CELL_SWITCHES]++;
	came = bpf_ktime_get_ns() - time_since_arrival(task);
	return came > when ? came : when;
}

/* Why the program runs. */
enum cause {
	SWITCHED,   /* this is the switch from a task to another */
	MOVED_SELF, /* the running task has moved itself just now */
	SETTLED,    /* user space wants it */
};

/* @task, which is current, ran until now; @next runs from here on. */
static __always_inline void run(struct cgroup_cpu *cpu, struct task_struct *task, struct task_struct *next,
				enum cause cause, __u32 id)
{
	struct cgroup *was = cgroup_of(task), *cgroup = cgroup_of(next);
	__u64 old = key_of(was), key = key_of(cgroup), slot;
	struct turn turn = {};
	__u64 epoch = control.epoch; /* before what it stands for */
	__u32 want = control.enabled;

	if (cpu->on && (cpu->task != (__u64)task || !is_same_group(cpu->key, old))) {
		turn.to = slot_of(cpu, was, old);
		turn.when = find_turn(id, turn.to);
		if (cause == MOVED_SELF)
			turn.when = 0; /* all of it was before the move */
	}
	cpu->task = (__u64)next;
	cpu->epoch = want * epoch;
	if (cause == SWITCHED) {
		cpu->switches++;
		cpu->crossed += old != key;
		if (cpu->key == key && old == key && cpu->on == want && !turn.when)
			return;
	}
	slot = slot_of(cpu, cgroup, key);
	cpu->key = key;
	if (cause == SWITCHED && cpu->slot == slot && cpu->on == want && !turn.when)
		return;
	turn_to(cpu, slot, want, turn, id);
}

static __always_inline void enter(struct cgroup_cpu *cpu, struct task_struct *task, struct task_struct *next,
				  enum cause cause, __u32 id)
{
	if (!cpu->on && !control.enabled)
		return;
	if (cpu->skip) {
		cpu->elsewhere += cpu->skip == CGROUP_SKIP_NO_EVENTS;
		return;
	}
	if (cpu->busy) {
		cpu->nested++;
		return;
	}
	cpu->busy = 1;
	cpu->set = (__u64)next->cgroups; /* not in run(): the verifier would take half as long again */
	barrier();
	run(cpu, task, next, cause, id);
	barrier();
	cpu->busy = 0;
}

/* Two tasks of one css_set are of one group, and as long as nothing changes that is the one that the slice began in. */
static __always_inline bool goes_on(const struct cgroup_cpu *cpu, struct task_struct *task, struct task_struct *next)
{
	__u64 set = cpu->set;

	return cpu->epoch == control.epoch && (__u64)task->cgroups == set && (__u64)next->cgroups == set &&
	       cpu->task == (__u64)task && !cpu->busy;
}

/* tp_btf/sched_switch, made so by user space. @ctx: preempt, prev, next, prev_state */
SEC("pstat_tp_btf")
int on_switch(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[1], *next = (struct task_struct *)ctx[2];
	__u32 id = bpf_get_smp_processor_id();
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);

	if (!cpu)
		return 0;
	if (goes_on(cpu, task, next)) {
		cpu->task = (__u64)next;
		cpu->switches++;
		return 0;
	}
	enter(cpu, task, next, SWITCHED, id);
	return 0;
}

/*
 * raw_tp/cgroup_attach_task, after the move of a process or thread, and run by user space on the CPU to be settled, with a ctx of
 * zeros: one program for both, as it is loading that takes time. @ctx: dst_cgrp, path, task, threadgroup
 */
SEC("raw_tp")
int on_move(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *current = bpf_get_current_task_btf(), *moved = (struct task_struct *)ctx->args[2];
	__u64 now = bpf_ktime_get_ns();
	__u32 process = 0, id = bpf_get_smp_processor_id();
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	__u8 *wakeup;

	if (!cpu)
		return 0;

	if (moved) {
		process = BPF_CORE_READ(moved, tgid);
		bpf_map_update_elem(&moves, &process, &now, BPF_ANY);
		__sync_fetch_and_add(&control.epoch, 1);
	}
	if (!moved || process == bpf_get_current_pid_tgid() >> 32)
		enter(cpu, current, current, moved ? MOVED_SELF : SETTLED, id);
	if (!moved || !control.enabled)
		return 0;
	wakeup = bpf_ringbuf_reserve(&wakeups, 8, 0);
	if (wakeup)
		bpf_ringbuf_submit(wakeup, 2 /* BPF_RB_FORCE_WAKEUP: more than one may read */);
	return 0;
}

struct climb {
	__u64 cgroup; /* address; 0: the mounted group was reached */
};

/* bpf_loop(): one level up each time, until the group that is mounted is found or the root was. */
static long climb_up(__u32 nr, struct climb *climb)
{
	struct cgroup *cgroup = (struct cgroup *)climb->cgroup;
	struct cgroup_subsys_state *parent = BPF_CORE_READ(cgroup, self.parent);

	if (BPF_CORE_READ(cgroup, kn, id) == root_id)
		climb->cgroup = 0;
	if (!climb->cgroup || !parent)
		return 1;
	climb->cgroup = (__u64)BPF_CORE_READ(parent, cgroup);
	return 0;
}

/*
 * How many levels below the group that is mounted; 0 when it is not below it. A group of v1's hierarchies, which tell of theirs too, is
 * below no root but its own: ids are of one hierarchy only.
 */
static __always_inline __u32 levels_of(struct cgroup *cgroup)
{
	struct cgroup *mine = cgroup_of(bpf_get_current_task_btf());
	struct climb climb = { .cgroup = (__u64)cgroup };
	long climbed;

	if (BPF_CORE_READ(cgroup, root) != mine->root)
		return 0;
	climbed = bpf_loop(1 << 16, climb_up, &climb, 0);
	return climbed > 0 && !climb.cgroup ? climbed - 1 : 0;
}

static __always_inline void tell(struct cgroup *cgroup, const void *path, __u32 slot, bool removed, __u32 levels)
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

/* raw_tp/cgroup_mkdir: it gets a slot before a task can be in it. @ctx: cgrp, path */
SEC("raw_tp")
int on_mkdir(struct bpf_raw_tracepoint_args *ctx)
{
	struct cgroup *cgroup = (struct cgroup *)ctx->args[0];
	__u32 slot = 0, levels = levels_of(cgroup);
	__u64 id;

	if (!levels)
		return 0;
	id = BPF_CORE_READ(cgroup, kn, id);
	if (bpf_map_pop_elem(&reserve, &slot) || bpf_map_update_elem(&slots, &id, &slot, BPF_ANY))
		slot = 0;
	tell(cgroup, (const void *)ctx->args[1], slot, false, levels);
	return 0;
}

/* raw_tp/cgroup_rmdir. @ctx: cgrp, path */
SEC("raw_tp")
int on_rmdir(struct bpf_raw_tracepoint_args *ctx)
{
	struct cgroup *cgroup = (struct cgroup *)ctx->args[0];
	__u32 levels = levels_of(cgroup);

	if (levels)
		tell(cgroup, (const void *)ctx->args[1], 0, true, levels);
	return 0;
}
