// SPDX-License-Identifier: GPL-2.0-only
/* The cost of counting is subtracted from the sums of scopes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/count/counts.h"
#include "util/count/scope/scope-shape.h"

static uint64_t without_cost(uint64_t value)
{
	struct scope_cost cost = { .own = 100, .inner = 10, .nested = 1 };
	const struct scope_shape shape = { .costs = &cost };
	struct reading sum = { .value = value, .enabled = 5, .running = 5 };

	/* 2 × 100 + 3 × 10 + 4 × 1 */
	scope_shape__subtract(&shape, 0, 2, 3, 4, &sum);
	return sum.value;
}

static void the_cost_of_all_runs_is_subtracted(void **state)
{
	(void)state;
	assert_int_equal(without_cost(1234), 1000);
}

static void a_sum_that_is_less_than_its_cost_is_0(void **state)
{
	(void)state;
	assert_int_equal(without_cost(200), 0);
	/* The programs have already subtracted more than was counted. */
	assert_int_equal(without_cost((uint64_t)-7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cost_of_all_runs_is_subtracted),
		cmocka_unit_test(a_sum_that_is_less_than_its_cost_is_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
