/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attempts to open an event, each with one bad field, and the field that the search must find. The
 * unit test uses them on this machine, and tests/workloads/why-table.c on guests.
 */
#ifndef PSTAT_UNIT_WHY_REFUSALS_H
#define PSTAT_UNIT_WHY_REFUSALS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/count/why/why-search.h"

/* An event that opens everywhere. */
static struct why_trial good(void)
{
	struct why_trial trial = { .at = { .cpu = -1, .group_fd = -1 } };

	trial.attr.attr.type = PERF_TYPE_SOFTWARE;
	trial.attr.attr.size = PERF_ATTR_SIZE;
	trial.attr.attr.config = PERF_COUNT_SW_TASK_CLOCK;
	trial.attr.attr.disabled = 1;
	trial.attr.attr.exclude_kernel = trial.attr.attr.exclude_hv = 1;
	return trial;
}

static struct why_trial good_breakpoint(void)
{
	struct why_trial trial = good();

	trial.attr.attr.type = PERF_TYPE_BREAKPOINT;
	trial.attr.attr.config = 0;
	trial.attr.attr.bp_type = HW_BREAKPOINT_W;
	trial.attr.attr.bp_addr = 0x1000;
	trial.attr.attr.bp_len = HW_BREAKPOINT_LEN_4;
	return trial;
}

/* Opens an event that leads a group, or a member of the group of @of. The event stays open. */
static int leader(int of)
{
	struct why_trial trial = good();

	if (of > 0)
		trial.at.group_fd = of;
	return why_trial__open(&trial);
}

#define BREAKS(name, statement)                            \
	static void name(struct why_trial *t)              \
	{                                                  \
		struct perf_event_attr *a = &t->attr.attr; \
                                                           \
		(void)a;                                   \
		statement;                                 \
	}

BREAKS(sigtrap, a->sigtrap = 1)
BREAKS(flag_bits, a->__reserved_1 = 1)
BREAKS(second_reserved, a->__reserved_2 = 1)
BREAKS(third_reserved, a->__reserved_3 = 1)
BREAKS(sample_type, a->sample_type = 1ULL << 50)
BREAKS(read_format, a->read_format = 1ULL << 50)
BREAKS(branches, a->sample_type = PERF_SAMPLE_BRANCH_STACK; a->branch_sample_type = 1ULL << 50)
BREAKS(user_regs, a->sample_type = PERF_SAMPLE_REGS_USER; a->sample_regs_user = 1ULL << 63)
BREAKS(intr_regs, a->sample_type = PERF_SAMPLE_REGS_INTR; a->sample_regs_intr = 1ULL << 63)
BREAKS(user_stack, a->sample_type = PERF_SAMPLE_STACK_USER; a->sample_stack_user = 3)
BREAKS(bad_clock, a->use_clockid = 1; a->clockid = 99)
BREAKS(threads, a->inherit_thread = 1)
BREAKS(both_execs, a->remove_on_exec = 1; a->enable_on_exec = 1)
BREAKS(period, a->sample_period = 1ULL << 63)
BREAKS(frequency, a->freq = 1; a->sample_freq = 1U << 31)
BREAKS(aux_output, a->aux_output = 1)
BREAKS(aux_sample, a->aux_sample_size = 64)
BREAKS(small, a->size = 13)
BREAKS(no_such_pid, t->at.pid = 4194304)
BREAKS(no_such_cpu, t->at.pid = -1; t->at.cpu = 60000)
BREAKS(nowhere, t->at.pid = -1)
BREAKS(no_leader, t->at.group_fd = 9999)
BREAKS(stdin_leads, t->at.group_fd = STDIN_FILENO)
BREAKS(call_flags, t->at.flags = 1UL << 20)
BREAKS(cgroup, t->at.flags = PERF_FLAG_PID_CGROUP)
BREAKS(no_such_event, a->config = 99)
BREAKS(no_such_pmu, a->type = 0x7fffffff)
BREAKS(bp_length, a->bp_len = 3)
BREAKS(bp_address, a->bp_addr = 0x1001)
BREAKS(bp_access, a->bp_type = HW_BREAKPOINT_X | HW_BREAKPOINT_W)
BREAKS(bp_nothing, a->bp_type = 64)
/* Addresses of the kernel are negative on all architectures. */
BREAKS(bp_of_kernel, a->bp_addr = (__u64)-65536)
BREAKS(branches_of_software, a->sample_type = PERF_SAMPLE_BRANCH_STACK;
       a->branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER)
BREAKS(two_weights, a->sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)
BREAKS(deep_stacks, a->sample_type = PERF_SAMPLE_CALLCHAIN; a->sample_max_stack = 60000)
BREAKS(wrong_branch_level, a->sample_type = PERF_SAMPLE_BRANCH_STACK;
       a->branch_sample_type = 1ULL << 40)
BREAKS(pinned_member, t->at.group_fd = leader(0); a->pinned = 1)
BREAKS(exclusive_member, t->at.group_fd = leader(0); a->exclusive = 1)
BREAKS(member_with_clock, t->at.group_fd = leader(0); a->use_clockid = 1;
       a->clockid = CLOCK_MONOTONIC)
BREAKS(member_of_member, t->at.group_fd = leader(leader(0)))
BREAKS(member_elsewhere, t->at.group_fd = leader(0); t->at.pid = -1; t->at.cpu = 0)
BREAKS(no_cgroup, t->at.pid = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC); t->at.cpu = 0;
       t->at.flags = PERF_FLAG_PID_CGROUP)
BREAKS(negative_pid, t->at.pid = -7)
BREAKS(negative_cpu, t->at.cpu = -7)
BREAKS(whole_flags, a->size = 4096 * 16)
BREAKS(sigtrap_of_child, a->sigtrap = 1; a->inherit = 1)

static const struct row {
	const char *name; /* the field that the search must find; NULL: no change helps */
	enum why_scope scope;
	int err; /* 0: it depends on the version of the kernel */
	void (*break_it)(struct why_trial *trial);
	struct why_trial (*start)(void);
} rows[] = {
	{ "sigtrap", WHY_CHANGES, EINVAL, sigtrap, good },
	{ "reserved", WHY_CHANGES, 0, flag_bits, good },
	{ "reserved", WHY_CHANGES, 0, second_reserved, good },
	{ "reserved", WHY_CHANGES, 0, third_reserved, good },
	{ "sample_type", WHY_CHANGES, EINVAL, sample_type, good },
	{ "read_format", WHY_CHANGES, EINVAL, read_format, good },
	{ "branch_sample_type", WHY_CHANGES, 0, branches, good },
	{ "sample_regs_user", WHY_CHANGES, 0, user_regs, good },
	{ "sample_regs_intr", WHY_CHANGES, 0, intr_regs, good },
	{ "sample_stack_user", WHY_CHANGES, 0, user_stack, good },
	{ "clockid", WHY_CHANGES, EINVAL, bad_clock, good },
	{ "inherit_thread", WHY_CHANGES, EINVAL, threads, good },
	{ "remove_on_exec", WHY_CHANGES, EINVAL, both_execs, good },
	{ "enable_on_exec", WHY_CHANGES, EINVAL, both_execs, good },
	{ "sample_period", WHY_CHANGES, EINVAL, period, good },
	{ "sample_period", WHY_CHANGES, EINVAL, frequency, good },
	{ "aux_output", WHY_CHANGES, 0, aux_output, good },
	{ "aux_sample_size", WHY_CHANGES, 0, aux_sample, good },
	{ "size", WHY_CHANGES, E2BIG, small, good },
	{ "pid", WHY_CHANGES, ESRCH, no_such_pid, good },
	{ "cpu", WHY_CHANGES, EINVAL, no_such_cpu, good },
	{ "cpu", WHY_CHANGES, EINVAL, nowhere, good },
	{ "group", WHY_CHANGES, EBADF, no_leader, good },
	{ "group", WHY_CHANGES, EBADF, stdin_leads, good },
	{ "flags", WHY_CHANGES, EINVAL, call_flags, good },
	{ "cgroup", WHY_CHANGES, EINVAL, cgroup, good },
	{ NULL, WHY_THIS_EVENT, ENOENT, no_such_event, good },
	{ NULL, WHY_THIS_PMU, ENOENT, no_such_pmu, good },
	{ "bp_len", WHY_CHANGES, EINVAL, bp_length, good_breakpoint },
	{ "bp_addr", WHY_CHANGES, EINVAL, bp_address, good_breakpoint },
	{ "bp_type", WHY_CHANGES, EINVAL, bp_access, good_breakpoint },
	{ "bp_type", WHY_CHANGES, EINVAL, bp_nothing, good_breakpoint },
	{ "exclude_user", WHY_CHANGES, EINVAL, bp_of_kernel, good_breakpoint },
	{ "branch_sample_type", WHY_CHANGES, EOPNOTSUPP, branches_of_software, good },
	{ "sample_type", WHY_CHANGES, EINVAL, two_weights, good },
	{ "sample_type", WHY_CHANGES, EOVERFLOW, deep_stacks, good },
	{ "branch_sample_type", WHY_CHANGES, EINVAL, wrong_branch_level, good },
	{ "pinned", WHY_CHANGES, EINVAL, pinned_member, good },
	{ "exclusive", WHY_CHANGES, EINVAL, exclusive_member, good },
	{ "clockid", WHY_CHANGES, EINVAL, member_with_clock, good },
	{ "group", WHY_CHANGES, EINVAL, member_of_member, good },
	{ "group", WHY_CHANGES, EINVAL, member_elsewhere, good },
	{ "cgroup", WHY_CHANGES, EBADF, no_cgroup, good },
	{ "pid", WHY_CHANGES, 0, negative_pid, good },
	{ "cpu", WHY_CHANGES, EINVAL, negative_cpu, good },
	{ "size", WHY_CHANGES, E2BIG, whole_flags, good },
	{ "sigtrap", WHY_CHANGES, EINVAL, sigtrap_of_child, good },
};

/*
 * Returns whether one of the fixes changes the field @name, alone or together with another field.
 */
static bool has_fix(const struct why_answer *answer, const char *name)
{
	for (int i = 0; i < answer->nr_fixes; i++) {
		const struct why_fix *fix = &answer->fixes[i];

		if (!strcmp(answer->changes.list[fix->first].name, name) ||
		    (fix->second >= 0 && !strcmp(answer->changes.list[fix->second].name, name)))
			return true;
	}
	return false;
}

#endif
