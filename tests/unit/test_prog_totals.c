// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals that are read while runs are being added: they are consistent, or pstat reports that they
 * are not.
 */
#include "tests/unit/stat-fixture.h"

#include "util/base/log.h"
#include "util/count/prog/prog-faults.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/prog/prog-target.h"
#include "util/count/prog/prog-totals.h"

#define CPUS 2

/* The totals that bpf_skel/prog_profiler.h describes, without sets of sums and without buckets. */
struct totals {
	struct prog_totals totals;
	uint64_t begun;
};

/* for each CPU, the number of readings that occur in the middle of an addition */
static int torn_reads[CPUS];
static int reads;

/* Replacements for the functions of prog-target.c. */
int prog_target__read(const struct prog_target *target, char *totals, struct strbuf *why)
{
	(void)why;
	(void)target;
	for (int cpu = 0; cpu < CPUS; cpu++)
		((struct totals *)totals)[cpu] =
			(struct totals){ .totals.added = 10 + (uint64_t)reads,
					 .begun =
						 10 + (uint64_t)reads + (reads < torn_reads[cpu]) };
	reads++;
	return 0;
}

uint64_t prog_target__missed(const struct prog_target *target)
{
	(void)target;
	return 0;
}

uint64_t prog_target__own_misses(const struct prog_target *target)
{
	(void)target;
	return 0;
}

struct taken {
	struct cpumap *possible;
	struct prog_shape shape;
	struct prog_snapshot *snapshot;
};

static void take(struct taken *t, int torn)
{
	*t = (struct taken){ .shape = { .hist_word = -1 } };
	assert_int_equal(cpumap__parse("0-1", &t->possible), 0);
	t->snapshot = prog_snapshot__new(&t->shape, t->possible);
	assert_non_null(t->snapshot);
	reads = 0;
	torn_reads[1] = torn;
	assert_int_equal(prog_snapshot__take(t->snapshot, &(struct prog_target){ .prog = NULL }),
			 0);
}

static void end(struct taken *t)
{
	prog_snapshot__free(t->snapshot);
	cpumap__free(t->possible);
}

static void a_cpu_in_the_middle_of_an_addition_is_read_again(void **state)
{
	struct taken t;

	(void)state;
	take(&t, 3);
	assert_int_equal(reads, 4);
	assert_int_equal(prog_snapshot__torn(t.snapshot), 0);
	assert_int_equal(prog_snapshot__of_cpu(t.snapshot, 0)->added, 10);
	assert_int_equal(prog_snapshot__of_cpu(t.snapshot, 1)->added, 13);
	end(&t);
}

static void a_cpu_that_stays_in_the_middle_of_an_addition_is_reported(void **state)
{
	struct taken t;

	(void)state;
	take(&t, 1000);
	assert_int_equal(prog_snapshot__torn(t.snapshot), 1);
	assert_int_equal(prog_snapshot__of_cpu(t.snapshot, 0)->added, 10);
	end(&t);
}

static bool warned;

static void note(enum log_level level, const char *text)
{
	warned |= level == LOG_WARNING && strstr(text, "part of that run");
}

static void runs_that_were_read_in_part_cause_a_warning_if_there_are_few_runs(void **state)
{
	static const struct {
		struct prog_faults faults;
		bool warned;
	} cases[] = {
		{ { .runs = 10, .torn = 1 }, true },
		{ { .runs = 1000, .torn = 1 }, false },
		{ { .runs = 10, .torn = 0 }, false },
	};

	(void)state;
	log__set_sink(note);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		warned = false;
		prog_faults__report(&cases[i].faults, false);
		assert_int_equal(warned, cases[i].warned);
	}
	log__set_sink(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_in_the_middle_of_an_addition_is_read_again),
		cmocka_unit_test(a_cpu_that_stays_in_the_middle_of_an_addition_is_reported),
		cmocka_unit_test(runs_that_were_read_in_part_cause_a_warning_if_there_are_few_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
