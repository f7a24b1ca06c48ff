// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpumap.h"

static struct evsel *add(struct evlist *evlist, const char *name)
{
	struct evsel *evsel = evsel__new();

	assert_non_null(evsel);
	evsel->name = strdup(name);
	assert_int_equal(evlist__add(evlist, evsel), 0);
	return evsel;
}

static void what_is_repeated_is_the_same_and_has_groups_of_its_own(void **state)
{
	struct evlist *evlist = evlist__new();
	struct evsel *leader = add(evlist, "leader"), *member = add(evlist, "member"), *merged = add(evlist, "merged");

	(void)state;
	leader->nr_members = 2;
	leader->attr.attr.config = 7;
	leader->filter = strdup("x > 1");
	assert_int_equal(cpumap__parse("0-3", &leader->pmu_cpus), 0);
	member->leader = leader;
	member->nr_members = 0;
	merged->merged = true;
	merged->merge_into = member;
	for (int block = 1; block < 4; block++) {
		struct evsel **copy;

		assert_int_equal(evlist__repeat(evlist, 3), 0);
		assert_int_equal(evlist->nr, 3 * (block + 1));
		copy = evlist->entries + 3 * block;
		for (int i = 0; i < 3; i++) {
			assert_int_equal(copy[i]->idx, 3 * block + i);
			assert_string_equal(copy[i]->name, evlist->entries[i]->name);
			assert_ptr_not_equal(copy[i]->name, evlist->entries[i]->name);
		}
		assert_ptr_equal(copy[0]->leader, copy[0]);
		assert_ptr_equal(copy[1]->leader, copy[0]);
		assert_ptr_equal(copy[2]->merge_into, copy[1]);
		assert_int_equal(copy[0]->nr_members, 2);
		assert_int_equal(copy[0]->attr.attr.config, 7);
		assert_string_equal(copy[0]->filter, "x > 1");
		assert_int_equal(copy[0]->pmu_cpus->nr, 4);
		assert_ptr_not_equal(copy[0]->pmu_cpus, leader->pmu_cpus);
	}
	evlist__free(evlist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_repeated_is_the_same_and_has_groups_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
