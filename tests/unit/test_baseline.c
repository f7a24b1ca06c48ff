// SPDX-License-Identifier: GPL-2.0-only
/* Baselines: what --save keeps, and how its files are written and read again. */
#include "tests/unit/stat-fixture.h"

#include <math.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/report/compare/baseline-file.h"
#include "util/report/compare/baseline.h"

static struct baseline *make(bool per_run)
{
	struct baseline *b = baseline__new();
	struct baseline_series *s = b ? baseline__add_series(b) : NULL;

	assert_non_null(s);
	s->event = strdup("cycles:u");
	s->unit = strdup("");
	s->type = strdup("hardware");
	s->cgroup = strdup("a \"b\"\\");
	s->attr[ATTR_CONFIG1] = UINT64_MAX;
	s->per_run = per_run;
	return b;
}

static void a_file_contains_what_was_saved(void **state)
{
	static const double values[] = { 0, 1, 1.5, 123456789012345, 0.000001, NAN };
	struct strbuf why = STRBUF_INIT, first = STRBUF_INIT, second = STRBUF_INIT;
	char path[] = "/tmp/baseline.XXXXXX";
	struct baseline *b = make(false), *again;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(baseline_series__add(b->series, values[i], 0.25, 0), 0);
	assert_int_equal(baseline_times__add(&b->times, &(struct baseline_time){ 1.25, NAN, 0, 3 }),
			 0);
	b->lost_runs = 7;
	assert_int_equal(baseline__save(b, path, &why), 0);
	assert_int_equal(baseline__load(path, &again, &why), 0);
	baseline__format(b, &first);
	baseline__format(again, &second);
	assert_string_equal(first.text, second.text);
	assert_true(again->series->attr[ATTR_CONFIG1] == UINT64_MAX);
	assert_true(isnan(again->series->values[5]) && again->series->values[2] == 1.5);
	assert_true(isnan(again->times.list[0].user) && again->times.list[0].elapsed == 1.25);
	assert_int_equal(again->times.list[0].code, 3);
	unlink(path);
	baseline__free(b);
	baseline__free(again);
	strbuf__free(&first);
	strbuf__free(&second);
	strbuf__free(&why);
}

/* The mean over all runs stays the same, and intervals without runs do not change it. */
static void joined_intervals_keep_counts_and_runs(void **state)
{
	struct baseline *b = make(true);
	struct baseline_series *s = b->series;

	(void)state;
	for (int i = 0; i < 9; i++)
		assert_int_equal(baseline_series__add(s, i % 4 == 3 ? NAN : 10 * (i + 1), 1,
						      i % 4 == 3 ? 0 : i + 1),
				 0);
	baseline__limit(b, 9);
	assert_int_equal(s->nr, 9);
	baseline__limit(b, 8);
	assert_int_equal(s->nr, 5);
	assert_true(s->values[0] == (10. * 1 + 20 * 2) / 3 && s->runs[0] == 3);
	assert_true(s->values[1] == 30 && s->runs[1] == 3);
	assert_true(s->values[3] == 70 && s->runs[3] == 7);
	assert_true(s->values[4] == 90 && s->runs[4] == 9);
	baseline__free(b);
}

static void joined_intervals_of_other_events_are_added_up(void **state)
{
	struct baseline *b = make(false);
	struct baseline_series *s = b->series;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(baseline_series__add(s, i + 1, i == 2 ? 0.5 : 1, 0), 0);
	baseline__limit(b, 2);
	assert_true(s->nr == 2 && s->values[0] == 3 && s->values[1] == 7);
	assert_true(s->shares[0] == 1 && s->shares[1] == 0.5);
	baseline__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_contains_what_was_saved),
		cmocka_unit_test(joined_intervals_keep_counts_and_runs),
		cmocka_unit_test(joined_intervals_of_other_events_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
