// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search for what the kernel refuses: attempts that open are broken in one field each, and the
 * search must find this field. The kernel is this machine's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/count/why/why-remedy.h"
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
BREAKS(clock, a->use_clockid = 1; a->clockid = 99)
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

static const struct row {
	const char *name; /* of a field that the search must find, or NULL: no change helps */
	enum why_scope scope;
	int err; /* 0: depends on the version of the kernel */
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
	{ "clockid", WHY_CHANGES, EINVAL, clock, good },
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
};

static bool has_fix(const struct why_answer *answer, const char *name)
{
	for (int i = 0; i < answer->nr_fixes; i++)
		if (!strcmp(answer->changes.list[answer->fixes[i].first].name, name) &&
		    answer->fixes[i].second < 0)
			return true;
	return false;
}

static void print_answer(const struct row *row, const struct why_answer *answer)
{
	print_message("%s: err %d, scope %d, fixes:", row->name ?: "(none)", answer->err,
		      answer->scope);
	for (int i = 0; i < answer->nr_fixes; i++)
		print_message(" %s", answer->changes.list[answer->fixes[i].first].name);
	print_message("\n");
}

static void the_broken_field_is_found(void **state)
{
	int nr_wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct why_trial trial = row->start();
		struct why_answer answer;
		bool right;

		assert_int_equal(why_trial__try(&trial), 0);
		row->break_it(&trial);
		assert_int_equal(why_search(&trial, NULL, 0, &answer), 0);
		right = answer.scope == row->scope && (!row->err || answer.err == -row->err) &&
			(!row->name || has_fix(&answer, row->name));
		if (!right)
			print_answer(row, &answer);
		nr_wrong += !right;
		why_answer__free(&answer);
	}
	assert_int_equal(nr_wrong, 0);
}

/* Each change that was reported must really make the event open. */
static void reported_changes_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct why_trial trial = rows[i].start();
		struct why_answer answer;

		rows[i].break_it(&trial);
		assert_int_equal(why_search(&trial, NULL, 0, &answer), 0);
		for (int f = 0; f < answer.nr_fixes; f++) {
			const struct why_change *change =
				&answer.changes.list[answer.fixes[f].first];
			struct why_trial changed = trial;

			assert_true(change->apply(&changed, change));
			if (answer.fixes[f].second < 0)
				assert_int_equal(why_trial__try(&changed), 0);
		}
		why_answer__free(&answer);
	}
}

static void an_event_that_opens_was_not_refused(void **state)
{
	struct why_trial trial = good();
	struct why_answer answer;

	(void)state;
	assert_int_equal(why_search(&trial, NULL, 0, &answer), 0);
	assert_int_equal(answer.err, 0);
	assert_int_equal(answer.scope, WHY_NOT_REFUSED);
	assert_int_equal(answer.nr_tries, 1);
	why_answer__free(&answer);
}

static void two_broken_fields_are_found_together(void **state)
{
	struct why_trial trial = good();
	struct why_answer answer;
	const struct why_fix *fix;

	(void)state;
	read_format(&trial);
	clock(&trial);
	assert_int_equal(why_search(&trial, NULL, 0, &answer), 0);
	assert_int_equal(answer.nr_fixes, 1);
	fix = &answer.fixes[0];
	assert_string_equal(answer.changes.list[fix->first].name, "read_format");
	assert_string_equal(answer.changes.list[fix->second].name, "clockid");
	why_answer__free(&answer);
}

static void members_of_groups_have_their_own_reasons(void **state)
{
	struct why_trial leader = good(), member = good();
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;
	struct why_answer answer;
	int fd = why_trial__open(&leader);

	(void)state;
	assert_true(fd >= 0);
	member.at.group_fd = fd;
	member.attr.attr.pinned = 1;
	assert_int_equal(why_search(&member, NULL, 0, &answer), 0);
	assert_true(has_fix(&answer, "pinned"));
	assert_true(has_fix(&answer, "group"));
	why_remedy__add(&answer, &member, NULL, &cause, &remedy);
	assert_string_equal(cause.text, "only the leader of a group can be pinned");
	why_answer__free(&answer);
	close(fd);
	strbuf__free(&cause);
	strbuf__free(&remedy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_broken_field_is_found),
		cmocka_unit_test(reported_changes_help),
		cmocka_unit_test(an_event_that_opens_was_not_refused),
		cmocka_unit_test(two_broken_fields_are_found_together),
		cmocka_unit_test(members_of_groups_have_their_own_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
