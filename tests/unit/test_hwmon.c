// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "tests/unit/machine-files.h"
#include "util/base/strbuf.h"
#include "util/machine/pmu/hwmon.h"

static struct fake_roots machine;

static int show(const struct hwmon_event *event, void *arg)
{
	strbuf__addf(arg, "%s %s %s '%s' %s*%g\n", event->pmu, event->name, event->label_name,
		     event->label, event->unit, event->scale);
	return 0;
}

static void sensors_are_files_with_an_input_sorted_by_chip_type_and_number(void **state)
{
	struct strbuf got = STRBUF_INIT;

	(void)state;
	assert_int_equal(hwmon__for_each(&machine.roots, show, &got), 0);
	assert_string_equal(got.text,
			    "hwmon_coretemp temp1 temp_package_id_0 'Package id 0' 'C*0.001\n"
			    "hwmon_coretemp temp2 temp_core_0 'Core 0' 'C*0.001\n"
			    "hwmon_coretemp temp10  '' 'C*0.001\n"
			    "hwmon_nct_6775_x curr1  '' A*0.001\n"
			    "hwmon_nct_6775_x fan1  '' rpm*1\n"
			    "hwmon_nct_6775_x in0 in_vcore 'Vcore' V*0.001\n"
			    "hwmon_nct_6775_x intrusion1  '' *1\n"
			    "hwmon_nct_6775_x temp1  '' 'C*0.001\n");
	strbuf__free(&got);
}

static int stop(const struct hwmon_event *event, void *arg)
{
	(void)event;
	return ++*(int *)arg == 2 ? 7 : 0;
}

static void a_walk_ends_if_the_callback_ends_it(void **state)
{
	int nr = 0;

	(void)state;
	assert_int_equal(hwmon__for_each(&machine.roots, stop, &nr), 7);
	assert_int_equal(nr, 2);
}

static void names_of_events_begin_with_a_type_followed_by_a_number_or_a_label(void **state)
{
	static const char *const good[] = { "temp1", "temp1_input", "TEMP1", "temp_x",
					    "in0",   "intrusion0",  "cpu0" };
	static const char *const bad[] = { "",	      "1",  "_",      "temp",
					   "temper1", "x1", "temp-1", "temp1234567890" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(hwmon__is_event_name(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(hwmon__is_event_name(bad[i]));
}

static void a_chip_is_found_by_its_name_and_its_directory(void **state)
{
	struct hwmon_event event;

	(void)state;
	assert_true(hwmon__has_pmu(&machine.roots, "hwmon_coretemp"));
	assert_true(hwmon__has_pmu(&machine.roots, "hwmon1"));
	assert_false(hwmon__has_pmu(&machine.roots, "hwmon"));
	assert_false(hwmon__has_pmu(&machine.roots, "hwmon2")); /* this chip has no name */
	assert_false(hwmon__has_pmu(&machine.roots, "coretemp"));
	assert_int_equal(hwmon__find(&machine.roots, "hwmon1", "temp_Package_id_0", &event),
			 -ENOENT);
	assert_int_equal(hwmon__find(&machine.roots, "hwmon0", "temp_Package_id_0", &event), 0);
	assert_string_equal(event.name, "temp1");
}

static void a_machine_without_chips_has_no_events(void **state)
{
	struct strbuf got = STRBUF_INIT;
	struct hwmon_event event;
	struct fake_roots bare;

	(void)state;
	fake_roots__init(&bare);
	assert_int_equal(hwmon__for_each(&bare.roots, show, &got), 0);
	assert_string_equal(got.text, "");
	assert_int_equal(hwmon__find(&bare.roots, "hwmon0", "temp1", &event), -ENOENT);
	strbuf__free(&got);
	fake_roots__remove(&bare);
}

static int set_up(void **state)
{
	(void)state;
	fake_roots__load(&machine, "sensors");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_roots__remove(&machine);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sensors_are_files_with_an_input_sorted_by_chip_type_and_number),
		cmocka_unit_test(a_walk_ends_if_the_callback_ends_it),
		cmocka_unit_test(names_of_events_begin_with_a_type_followed_by_a_number_or_a_label),
		cmocka_unit_test(a_chip_is_found_by_its_name_and_its_directory),
		cmocka_unit_test(a_machine_without_chips_has_no_events),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
