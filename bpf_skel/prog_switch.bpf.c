// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the counts of other tasks out of a run while the task of the run is off the CPU. This
 * program is attached only if runs can sleep or be preempted. If no run is in progress on the CPU,
 * the program does nothing.
 */
#include "prog_runs.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * Returns slot + 1 of the run that @task resumes, or 0 if @task has no run in progress. The
 * function reads the result back from cpu->slot, so that the verifier does not examine the
 * following code once for each slot.
 */
static __always_inline __u32 run_of(struct prog_cpu *cpu, __u64 task)
{
	cpu->slot = 0;
	for (__u32 i = 0; i < PROG_SLOTS; i++)
		if (cpu->runs[i].frame && cpu->runs[i].task == task)
			cpu->slot = i + 1;
	barrier();
	return cpu->slot;
}

static __always_inline void change_owner(struct prog_cpu *cpu, __u64 from, __u64 to)
{
	__u32 resumed = run_of(cpu, to);
	bool good = true;

	if (cpu->owner) {
		good = take_first_first(cpu, PROG_ROW_NOW, ANY_SHAPE);
		charge_owner(cpu);
		cpu->runs[(cpu->owner - 1) & (PROG_SLOTS - 1)].task = from;
	}
	cpu->owner = resumed;
	if (resumed) {
		cpu->runs[(resumed - 1) & (PROG_SLOTS - 1)].task = 0;
		good &= take_last_first(cpu, PROG_ROW_LAST, ANY_SHAPE);
	}
	if (!good)
		reset(cpu, PROG_LOST_UNREAD);
}

SEC("raw_tp/sched_switch")
int pstat_on_switch(struct bpf_raw_tracepoint_args *ctx)
{
	struct prog_cpu *cpu = this_cpu();

	if (!cpu || !cpu->nr)
		return 0;
	if (cpu->busy) {
		cpu->disturbed = 1;
		return 0;
	}
	cpu->busy = 1;
	barrier();
	change_owner(cpu, ctx->args[1], ctx->args[2]);
	release(cpu);
	return 0;
}
