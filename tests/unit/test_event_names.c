// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/event/lexer.h"
#include "util/event/names.h"

static struct span span_of(const char *text)
{
	return (struct span){ .s = text, .len = strlen(text) };
}

static int decode(const char *text, uint64_t *config)
{
	struct span span = span_of(text);
	const char *why;

	return event_name__decode_cache(&span, config, &why);
}

static void test_each_name_and_alias_finds_its_own_row(void **state)
{
	(void)state;
	for (const struct event_name *row = event_names; row->name; row++) {
		struct span name = span_of(row->name),
			    alias = span_of(row->alias ? row->alias : row->name);

		assert_ptr_equal(event_name__find(&name), row);
		assert_ptr_equal(event_name__find(&alias), row);
		assert_non_null(row->help);
	}
}

static void test_names_are_whole_and_case_sensitive(void **state)
{
	static const char *const not [] = { "", "c", "css", "CS", "cycle", "cycles " };

	(void)state;
	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++) {
		struct span span = span_of(not [i]);

		assert_null(event_name__find(&span));
	}
}

static const struct {
	const char *text;
	unsigned int id, ops;
} caches[] = {
	{ "L1-dcache", 0, 7 }, { "l1-d", 0, 7 },     { "l1d", 0, 7 },	{ "L1-data", 0, 7 },
	{ "L1-icache", 1, 5 }, { "l1-i", 1, 5 },     { "l1i", 1, 5 },	{ "L1-instruction", 1, 5 },
	{ "LLC", 2, 7 },       { "L2", 2, 7 },	     { "dTLB", 3, 7 },	{ "d-tlb", 3, 7 },
	{ "Data-TLB", 3, 7 },  { "iTLB", 4, 1 },     { "i-tlb", 4, 1 }, { "Instruction-TLB", 4, 1 },
	{ "branch", 5, 1 },    { "branches", 5, 1 }, { "bpu", 5, 1 },	{ "btb", 5, 1 },
	{ "bpc", 5, 1 },       { "node", 6, 7 },
};
static const struct {
	const char *text;
	unsigned int id;
} ops[] = {
	{ "load", 0 },	     { "loads", 0 },	  { "read", 0 },
	{ "store", 1 },	     { "stores", 1 },	  { "write", 1 },
	{ "prefetch", 2 },   { "prefetches", 2 }, { "speculative-read", 2 },
	{ "speculative-load", 2 },
}, results[] = {
	{ "refs", 0 },	 { "Reference", 0 }, { "ops", 0 },
	{ "access", 0 }, { "misses", 1 },    { "miss", 1 },
};

/*
 * Tries every spelling of the caches (22), operations and results, with and without an operation.
 */
static void test_all_spellings_of_cache_events_are_decoded(void **state)
{
	uint64_t config;
	char name[64];

	(void)state;
	for (size_t c = 0; c < sizeof(caches) / sizeof(caches[0]); c++) {
		assert_int_equal(decode(caches[c].text, &config), 0);
		assert_int_equal(config, caches[c].id);
		for (size_t r = 0; r < 6; r++) {
			snprintf(name, sizeof(name), "%s-%s", caches[c].text, results[r].text);
			assert_int_equal(decode(name, &config), 0);
			assert_int_equal(config, caches[c].id | results[r].id << 16);
		}
		for (size_t o = 0; o < 10; o++) {
			int expected = caches[c].ops & (1u << ops[o].id) ? 0 : -EINVAL;

			snprintf(name, sizeof(name), "%s-%s", caches[c].text, ops[o].text);
			assert_int_equal(decode(name, &config), expected);
			for (size_t r = 0; r < 6; r++) {
				uint64_t all = caches[c].id | ops[o].id << 8 | results[r].id << 16;

				snprintf(name, sizeof(name), "%s-%s-%s", caches[c].text,
					 ops[o].text, results[r].text);
				assert_int_equal(decode(name, &config), expected);
				assert_true(expected || config == all);
				snprintf(name, sizeof(name), "%s-%s-%s", caches[c].text,
					 results[r].text, ops[o].text);
				assert_int_equal(decode(name, &config), expected);
				assert_true(expected || config == all);
			}
		}
	}
}

static void test_other_names_are_not_taken_for_cache_events(void **state)
{
	static const char *const not [] = { "",	    "-",	  "L1",	    "L1-",
					    "LLC-", "LLC--loads", "LLC-lo", "LLCloads",
					    "llc",  "LLC-loads-", "noded" };
	uint64_t config;

	(void)state;
	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
		assert_int_equal(decode(not [i], &config), -ENOENT);
	assert_int_equal(decode("LLC-loads-read", &config), -EINVAL);
	assert_int_equal(decode("LLC-miss-misses", &config), -EINVAL);
}

static int check_listed(const char *name, uint64_t config, void *arg)
{
	uint64_t decoded;

	assert_int_equal(decode(name, &decoded), 0);
	assert_int_equal(decoded, config);
	++*(int *)arg;
	return 0;
}

static void test_listed_cache_events_can_be_parsed(void **state)
{
	int nr = 0;

	(void)state;
	assert_int_equal(event_name__for_each_cache(check_listed, &nr), 0);
	assert_int_equal(nr, 2 * (3 + 2 + 3 + 3 + 1 + 1 + 3));
}

static void test_the_metrics_of_bpftool_are_cache_events(void **state)
{
	static const struct {
		const char *name, *same;
	} rows[] = {
		{ "l1d_loads", "L1-dcache-loads" },
		{ "llc_misses", "LLC-load-misses" },
		{ "itlb_misses", "iTLB-load-misses" },
		{ "dtlb_misses", "dTLB-load-misses" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t config, same;

		assert_int_equal(decode(rows[i].name, &config), 0);
		assert_int_equal(decode(rows[i].same, &same), 0);
		assert_int_equal(config, same);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_name_and_alias_finds_its_own_row),
		cmocka_unit_test(test_names_are_whole_and_case_sensitive),
		cmocka_unit_test(test_all_spellings_of_cache_events_are_decoded),
		cmocka_unit_test(test_other_names_are_not_taken_for_cache_events),
		cmocka_unit_test(test_the_metrics_of_bpftool_are_cache_events),
		cmocka_unit_test(test_listed_cache_events_can_be_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
