// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search for what the kernel refuses. Each attempt opens an event with one bad field, and the
 * search must find this field. The tests use the kernel of this machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/count/why/why-remedy.h"
#include "tests/unit/why-refusals.h"
#include "util/count/why/why-search.h"

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

static void for_an_event_that_opens_nothing_is_reported(void **state)
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
	bad_clock(&trial);
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
		cmocka_unit_test(for_an_event_that_opens_nothing_is_reported),
		cmocka_unit_test(two_broken_fields_are_found_together),
		cmocka_unit_test(members_of_groups_have_their_own_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
