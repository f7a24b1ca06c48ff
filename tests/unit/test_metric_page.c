// SPDX-License-Identifier: GPL-2.0-only
/* A page of metrics whose memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/report/export/metric-page.h"

static const struct metric_family family = {
	.name = "pstat_test",
	.help = "A test",
	.unit = "",
	.type = METRIC_GAUGE,
	.value = VALUE_COUNT,
};

static void after_a_failure_the_array_of_samples_does_not_move(void **state)
{
	struct metric_page page = { 0 };
	const struct metric_sample *samples;
	int room;

	(void)state;
	metric_page__begin(&page, &family);
	metric_page__add_count(&page, "", 1);
	room = page.samples_room;
	while (page.nr_samples < room)
		metric_page__add_count(&page, "", 1);
	samples = page.samples;
	page.failed = true;
	assert_null(metric_page__add(&page, ""));
	assert_ptr_equal(page.samples, samples);
	assert_int_equal(page.samples_room, room);
	assert_int_equal(page.nr_samples, room);
	metric_page__free(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_failure_the_array_of_samples_does_not_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
