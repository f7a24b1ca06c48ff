// SPDX-License-Identifier: GPL-2.0-only
/* The names of metrics, made from the names of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/event/evsel.h"
#include "util/report/export/metric-name.h"

static void expect_name(const char *event, const char *unit, double scale, const char *expected)
{
	struct strbuf name = STRBUF_INIT;
	struct evsel *evsel = evsel__new();

	assert_non_null(evsel);
	evsel->name = strdup(event);
	free(evsel->unit);
	evsel->unit = strdup(unit);
	evsel->scale = scale;
	metric_name__add(&name, "pstat_", evsel, 0, 1);
	assert_string_equal(name.text, expected);
	strbuf__free(&name);
	evsel__free(evsel);
}

static void names_are_clean_and_end_with_the_unit(void **state)
{
	(void)state;
	expect_name("cache-misses", "", 1.0, "pstat_cache_misses");
	expect_name("cycles:u", "", 1.0, "pstat_cycles_u");
	expect_name("LLC-load-misses", "", 1.0, "pstat_llc_load_misses");
	expect_name("cpu/event=0x3c,umask=1/u", "", 1.0, "pstat_cpu_event_0x3c_umask_1_u");
	expect_name("sched:sched_switch", "", 1.0, "pstat_sched_sched_switch");
	expect_name("power/energy-pkg/", "Joules", 2.3e-10, "pstat_power_energy_pkg_joules");
	expect_name("uncore_imc/data_reads/", "MiB", 6.1e-5, "pstat_uncore_imc_data_reads_bytes");
	expect_name("seconds", "ns", 1.0, "pstat_seconds");
	expect_name("a_seconds", "ns", 1.0, "pstat_a_seconds");
	expect_name("::", "", 1.0, "pstat_event");
	expect_name("\xc3\xa4", "", 1.0, "pstat_event");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_clean_and_end_with_the_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
