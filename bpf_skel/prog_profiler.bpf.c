// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts perf events inside a BPF program, the target. Each run in progress has a slot (struct
 * prog_run). At the beginning of each run of the target, the kernel calls run_begin, an fentry
 * program. At the end, the kernel calls run_end, an fexit program.
 *
 *	fentry ──► a slot for the run ──► read all counters, last event first
 *	   … the target runs …
 *	fexit ──► read all counters, first event first ──► the run's slot ──► totals += its charges
 *
 * The fentry and fexit programs of one run get the same ctx: the frame of the trampoline (the
 * kernel code that calls them) on the stack of the task. prog_runs.bpf.h describes nested runs, and
 * runs that lose the CPU. The code for such runs costs other runs only a few checks.
 *
 * While run_begin is running on a CPU, the kernel does not call run_begin again on this CPU, but
 * counts a miss of the program. The same applies to run_end. If an interrupt starts a run of the
 * target during this time, the beginning or the end of the new run can be missed. If only the end
 * is seen, no slot matches it. If only the beginning is seen, the slot of the run stays occupied
 * after the run has ended. The programs detect this when another run begins or ends in a way that
 * would be impossible if the run in this slot were still in progress.
 */
#include "prog_filter.bpf.h"
#include "prog_hist.bpf.h"
#include "prog_outliers.bpf.h"
#include "prog_runs.bpf.h"
#include <bpf/bpf_tracing.h>

#include "gate.h"

/* Kernel stacks are aligned to their size, which is at least 2^STACK_SHIFT bytes. */
#define STACK_SHIFT 14

char LICENSE[] SEC("license") = "GPL";

/* set before load */
/* offset in bytes of the totals' last word, the number of runs whose addition has begun */
const volatile __u64 totals_end = 0;
const volatile __u64 set_size = 0; /* size in bytes of struct prog_set and its row of sums */

/*
 * Whether each run is examined, for the histogram (--hist) or as a possible outlier (--outliers). A
 * check of a constant costs two instructions, although the result is known at load time. Because
 * --hist and --outliers share this constant, a run needs only one check if neither option is given.
 */
const volatile bool looks_at_runs = false;

/*
 * A run is counted only if gate.phase is not 0 and has the same value at the run's beginning and
 * end. User space writes gate.phase. With --start or --stop, the programs in prog_gate.bpf.c share
 * the map of this variable, and also write gate.phase.
 */
volatile struct gate gate SEC(".data.gate") = {};

/*
 * 0 → struct prog_totals and the data that follows it. BPF writes this map, and user space reads
 * it. User space sets the size before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct prog_totals));
	__uint(max_entries, 1);
} totals SEC(".maps");

static __always_inline struct prog_totals *its_totals(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&totals, &key);
}

#define COUNT_FAULT(what)                              \
	do {                                           \
		struct prog_totals *t_ = its_totals(); \
		if (t_)                                \
			t_->what++;                    \
	} while (0)

static __noinline int refuse_begin(struct prog_cpu *cpu)
{
	if (!cpu)
		return 0;
	if (!cpu->skip)
		COUNT_FAULT(lost);
	return 0;
}

/*
 * Returns 1 if @x is not 0, otherwise 0. The function contains no branch, because the verifier
 * examines both sides of each branch. A sequence of eight branches would have 256 paths.
 */
static __always_inline __u64 is_not_0(__u64 x)
{
	__u64 minus = -x;

	asm volatile("" : "+r"(minus));
	return (x | minus) >> 63;
}

/*
 * Returns 1 if @run cannot still be in progress when a run with the frame @frame begins, otherwise
 * 0. @run has ended if its frame is in the same stack as @frame, at the same or a lower address.
 */
static __always_inline __u64 has_left(const struct prog_run *run, __u64 frame)
{
	__u64 other_stack = is_not_0((run->frame ^ frame) >> STACK_SHIFT);

	return is_not_0(run->frame) & ~other_stack & ~((frame - run->frame) >> 63);
}

/*
 * Returns whether a slot is occupied by a run that cannot still be in progress. If so, no run on
 * this CPU is reliable.
 */
static __always_inline bool some_have_left(const struct prog_cpu *cpu)
{
	__u64 left = 0;

	for (__u32 i = 0; i < PROG_SLOTS; i++)
		left |= has_left(&cpu->runs[i], cpu->frame);
	return left;
}

static __always_inline __u32 free_slot(const struct prog_cpu *cpu)
{
	for (__u32 i = 0; i < PROG_SLOTS; i++)
		if (!cpu->runs[i].frame)
			return i;
	return PROG_SLOTS;
}

/*
 * Called by claim_slot(). If there is an owner, takes the reading that charge_owner() needs.
 * Returns why the runs in progress must be dropped (enum prog_lost), or 0 if they can be kept.
 */
static __always_inline __u32 why_lost(struct prog_cpu *cpu)
{
	if (cpu->owner && !take_first_first(cpu, PROG_ROW_NOW, ANY_SHAPE))
		return PROG_LOST_UNREAD;
	if (cpu->slot >= PROG_SLOTS)
		return PROG_LOST_NO_SLOT;
	return some_have_left(cpu) ? PROG_LOST_NO_END : 0;
}

/*
 * Called when a run begins while other runs are in progress. Finds a slot for the new run, and
 * charges the counts up to now to the owner (see prog_runs.bpf.h). If why_lost() returns a cause,
 * drops the runs in progress and charges nothing.
 */
static __noinline int claim_slot(struct prog_cpu *cpu)
{
	__u32 cause;

	if (!cpu)
		return 0;
	cpu->slot = free_slot(cpu);
	barrier();
	cause = why_lost(cpu);
	if (cause) {
		reset(cpu, cause);
		cpu->slot = 0;
	}
	if (cpu->owner) {
		charge_owner(cpu);
		cpu->runs[(cpu->owner - 1) & (PROG_SLOTS - 1)].inner++;
	}
	return 0;
}

static __noinline int fail_begin(struct prog_cpu *cpu)
{
	if (!cpu)
		return 0;
	/* reset() also counts the new run as lost; undo this, because read_errors counts the run */
	reset(cpu, PROG_LOST_UNREAD);
	cpu->lost[PROG_LOST_UNREAD]--;
	COUNT_FAULT(read_errors);
	return 0;
}

static __always_inline int begin(void *ctx, struct prog_form form)
{
	__u32 phase = gate.phase, slot;
	struct prog_run *run;
	struct prog_cpu *cpu;
	__u64 groups = 0;

	if (!phase)
		return 0;
	cpu = this_cpu();
	if (!cpu)
		return 0;
	if (choosy && !is_wanted(&groups))
		return 0;
	if (cpu->skip | cpu->busy)
		return refuse_begin(cpu);
	cpu->busy = 1;
	barrier();
	cpu->slot = 0;
	if (cpu->nr) {
		cpu->frame = (__u64)ctx;
		claim_slot(cpu);
	}
	barrier();
	slot = cpu->slot;
	run = &cpu->runs[slot & (PROG_SLOTS - 1)];
	run->frame = (__u64)ctx;
	run->task = 0;
	run->groups = groups;
	run->phase = phase;
	run->parent = cpu->owner;
	run->inner = 0;
	run->charged = 0;
	cpu->nr++;
	cpu->owner = slot + 1;
	if (!take_last_first(cpu, PROG_ROW_LAST, form))
		fail_begin(cpu);
	release(cpu);
	return 0;
}

static __always_inline struct prog_set *set_of(struct prog_totals *t, __u64 nr)
{
	__u64 offset = nr;

	asm("%0 *= %1" : "+r"(offset) : "r"(set_size));
	return (void *)(t + 1) + offset;
}

static __always_inline void add_words(__u64 *sums, struct prog_cpu *cpu, struct prog_form form)
{
	const __u64 *now = row_of(cpu, PROG_ROW_NOW, form),
		    *last = row_of(cpu, PROG_ROW_LAST, form);

	if (form.any) {
		for (__u32 i = 0; i < 3 * PROG_MAX_EVENTS && i < shape.words; i++)
			sums[i] += now[i] - last[i];
		return;
	}
	UNROLL
	for (__u32 i = 0; i < form.clock + form.plain; i++)
		sums[i] += now[i] - last[i];
}

static __always_inline void add_to_set(struct prog_set *set, struct prog_cpu *cpu,
				       const struct prog_run *run, struct prog_form form)
{
	add_words((void *)(set + 1), cpu, form);
	set->inner += run->inner;
	set->runs++;
}

static __always_inline void add_to_only_set(struct prog_totals *t, struct prog_cpu *cpu,
					    const struct prog_run *run, struct prog_form form)
{
	struct prog_set *set = (void *)(t + 1);

	if (form.any || looks_at_runs)
		*(__u64 *)((void *)t + totals_end) = t->added + 1;
	else
		((__u64 *)(set + 1))[form.clock + form.plain] = t->added + 1;
	barrier();
	add_to_set(set, cpu, run, form);
}

static __noinline int add_to_sets(struct prog_totals *t, struct prog_cpu *cpu, __u32 slot)
{
	const struct prog_run *run;

	if (!t || !cpu)
		return 0;
	run = &cpu->runs[slot & (PROG_SLOTS - 1)];
	for (__u32 i = 0; i < PROG_MAX_CGROUPS && i < nr_sets; i++)
		if (run->groups >> i & 1)
			add_to_set(set_of(t, i), cpu, run, ANY_SHAPE);
	return 0;
}

/*
 * Subtracts the earlier charges of the run in @slot from the row `last`, so that the difference
 * between the rows `now` and `last` includes them.
 */
static __noinline int bring_forward(struct prog_cpu *cpu, __u32 slot)
{
	__u64 *charged, *last;

	if (!cpu)
		return 0;
	charged = row(cpu, PROG_ROW_CHARGED + (slot & (PROG_SLOTS - 1)));
	last = row(cpu, PROG_ROW_LAST);
	for (__u32 i = 0; i < 3 * PROG_MAX_EVENTS && i < shape.words; i++)
		last[i] -= charged[i];
	return 0;
}

static __always_inline void look_at_run(void *ctx, struct prog_totals *t, struct prog_cpu *cpu,
					const struct prog_run *run)
{
	__u64 hist_at = hist_now, outlier_at = outlier_now, count = 0, above;

	if (hist_at) {
		count = run_count(cpu, hist_at, hist_last);
		add_to_hist(t, count, hist_cost + run->inner * hist_inner);
	}
	barrier();
	t->added++;
	if (!outlier_at)
		return;
	if (outlier_at != hist_at)
		count = run_count(cpu, outlier_at, outlier_last);
	above = outlier_above;
	if (count > above)
		stream_outlier(ctx, cpu, count - above);
}

static __always_inline void add_run(void *ctx, struct prog_cpu *cpu, __u32 slot,
				    struct prog_form form)
{
	const struct prog_run *run = &cpu->runs[slot];
	struct prog_totals *t = its_totals();

	if (!t)
		return;
	if (nr_cgroups) {
		*(__u64 *)((void *)t + totals_end) = t->added + 1;
		barrier();
		add_to_sets(t, cpu, slot);
	} else {
		add_to_only_set(t, cpu, run, form);
	}
	if (looks_at_runs) {
		look_at_run(ctx, t, cpu, run);
		return;
	}
	barrier();
	t->added++;
}

/*
 * Handles the end of a run that is not the owner (the run that is being charged). If the run that
 * ends has a slot, the end of the owner was not seen, so no run in progress is reliable, and all
 * are counted as lost. Otherwise, this run is counted as unpaired: its beginning was not recorded,
 * or reset() has freed its slot.
 */
static __noinline int end_another(struct prog_cpu *cpu, __u64 frame)
{
	bool found = false;

	if (!cpu)
		return 0;
	for (__u32 i = 0; i < PROG_SLOTS; i++)
		found |= cpu->runs[i].frame == frame;
	if (found)
		reset(cpu, PROG_LOST_NO_END);
	else
		COUNT_FAULT(unpaired);
	return 0;
}

static __noinline int end_unseen(const struct prog_cpu *cpu)
{
	if (gate.phase && cpu && !cpu->skip)
		COUNT_FAULT(unpaired);
	return 0;
}

/* Takes a new reading `last` for the owner after a run inside it has ended. */
static __noinline int resume_owner(struct prog_cpu *cpu)
{
	if (cpu && !take_last_first(cpu, PROG_ROW_LAST, ANY_SHAPE))
		reset(cpu, PROG_LOST_UNREAD);
	return 0;
}

static __always_inline int end(void *ctx, struct prog_form form)
{
	struct prog_cpu *cpu = this_cpu();
	struct prog_run *run;
	__u32 slot;
	bool good;

	if (!cpu)
		return 0;
	if (!cpu->owner || cpu->busy)
		return end_unseen(cpu);
	cpu->busy = 1;
	barrier();
	if (takes_branches)
		take_branches();
	good = take_first_first(cpu, PROG_ROW_NOW, form);
	barrier();
	slot = (cpu->owner - 1) & (PROG_SLOTS - 1);
	run = &cpu->runs[slot];
	/*
	 * if the state was disturbed, the reading may include counts of another task; the run is
	 * then not added, and keeps its slot until release() drops all runs
	 */
	if (run->frame != (__u64)ctx) {
		end_another(cpu, (__u64)ctx);
	} else if (!cpu->disturbed) {
		if (!good)
			COUNT_FAULT(read_errors);
		else if (run->phase == gate.phase) {
			if (run->charged)
				bring_forward(cpu, slot);
			add_run(ctx, cpu, slot, form);
		}
		run->frame = 0;
		cpu->nr--;
		cpu->owner = run->parent;
		if (cpu->owner)
			resume_owner(cpu);
	}
	release(cpu);
	return 0;
}

/*
 * One pair of programs for each common form of a row (struct prog_form), and one pair for all other
 * forms. User space loads the matching pair.
 */
#define PAIR(suffix, ...)                                             \
	SEC("?fentry")                                                \
	int run_begin##suffix(void *ctx)                              \
	{                                                             \
		return begin(ctx, (struct prog_form){ __VA_ARGS__ }); \
	}                                                             \
	SEC("?fexit")                                                 \
	int run_end##suffix(void *ctx)                                \
	{                                                             \
		return end(ctx, (struct prog_form){ __VA_ARGS__ });   \
	}

#define PAIRS(nr)                  \
	PAIR(_##nr, .plain = (nr)) \
	PAIR(_clock_##nr, .clock = true, .plain = (nr))

PAIR(, .any = true)
PAIRS(0)
PAIRS(1)
PAIRS(2)
PAIRS(3)
PAIRS(4)
PAIRS(5)
PAIRS(6)
PAIRS(7)
PAIRS(8)
