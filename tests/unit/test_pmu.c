// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>

#include "tests/unit/machine-files.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu-dir.h"
#include "util/machine/pmu/pmu-format.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

static struct fake_roots server, hybrid, bare;

static void test_formats_are_parsed(void **state)
{
	struct pmu_format f;
	uint64_t config[4] = { 0 };

	(void)state;
	assert_int_equal(pmu_format__parse("config:0-7,32-35", &f), 0);
	assert_int_equal(f.words[0], 0xf000000ff);
	assert_int_equal(f.width, 12);
	assert_int_equal(pmu_format__max(&f), 4095);
	pmu_format__set(&f, 0xa05, config);
	assert_int_equal(config[0], 0xa00000005);
	assert_int_equal(pmu_format__parse("config3:0-63", &f), 0);
	assert_int_equal(f.words[3], UINT64_MAX);
	assert_int_equal(pmu_format__max(&f), UINT64_MAX);
	assert_int_equal(pmu_format__parse("config1:5", &f), 0);
	assert_int_equal(f.words[1], 32);
	assert_int_equal(pmu_format__parse("config:0-3,config2:60-63", &f), 0);
	memset(config, 0, sizeof(config));
	pmu_format__set(&f, 0x95, config);
	assert_int_equal(config[0], 5);
	assert_int_equal(config[2], 0x9000000000000000);
}

static void test_invalid_formats_are_refused(void **state)
{
	static const char *const bad[] = { "",
					   "config",
					   "config:",
					   "config4:0",
					   "config:64",
					   "config:7-0",
					   "config:0-",
					   "config:0,",
					   "0-7",
					   "config:0-7x",
					   "config :0",
					   "conf:0",
					   "config:99999999999999999999",
					   "config:-1" };
	struct pmu_format f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pmu_format__parse(bad[i], &f), -EINVAL);
}

static void test_pmus_come_core_first_and_by_number(void **state)
{
	static const char *const names[] = { "cpu",	     "bad",	     "msr",
					     "software",     "uncore_imc_0", "uncore_imc_1",
					     "uncore_imc_10" };
	struct pmus *pmus = pmus__new(&server.roots);

	(void)state;
	for (int i = 0; i < 7; i++)
		assert_string_equal(pmu__name(pmus__get(pmus, i)), names[i]);
	assert_null(pmus__get(pmus, 7));
	assert_int_equal(pmus__nr_core(pmus), 1);
	assert_null(pmus__find(pmus, "uncore_imc"));
	pmus__free(pmus);
}

static void test_a_machine_without_pmus_has_a_placeholder_pmu(void **state)
{
	struct pmus *pmus = pmus__new(&bare.roots);
	struct pmu *cpu = pmus__find(pmus, "cpu");
	struct pmu_format format;
	struct pmu_alias alias;

	(void)state;
	assert_int_equal(pmus__nr_core(pmus), 1);
	assert_int_equal(pmu__load(cpu), 0);
	assert_int_equal(pmu__type(cpu), 4);
	assert_int_equal(pmu__find_format(cpu, "event", &format), -ENOENT);
	assert_int_equal(pmu__find_alias(cpu, "event", &alias), -ENOENT);
	assert_null(pmus__get(pmus, 1));
	pmus__free(pmus);
}

static void test_hybrid_pmus_have_their_cpus(void **state)
{
	struct pmus *pmus = pmus__new(&hybrid.roots);
	struct pmu *atom = pmus__get(pmus, 0);

	(void)state;
	assert_int_equal(pmus__nr_core(pmus), 2);
	assert_string_equal(pmu__name(atom), "cpu_atom");
	assert_int_equal(pmu__load(atom), 0);
	assert_int_equal(pmu__cpus(atom)->nr, 8);
	assert_false(pmu__is_uncore(atom));
	assert_true(pmu__is_core(atom));
	pmus__free(pmus);
}

static void test_pmus_are_found_by_type_and_without_their_prefixes(void **state)
{
	struct pmus *pmus = pmus__new(&hybrid.roots);

	(void)state;
	assert_string_equal(pmu__name(pmus__find_type(pmus, 4)), "cpu_core");
	assert_string_equal(pmu__name(pmus__find_type(pmus, 10)), "cpu_atom");
	assert_null(pmus__find_type(pmus, 99));
	assert_string_equal(pmu__name(pmus__find_filter(pmus, "atom")), "cpu_atom");
	assert_string_equal(pmu__name(pmus__find_filter(pmus, "cpu_core")), "cpu_core");
	assert_null(pmus__find_filter(pmus, "cor"));
	assert_null(pmus__find_filter(pmus, ""));
	/* This tree does not describe the kernel's PMUs. */
	assert_true(pmus__take_types(pmus));
	pmus__free(pmus);
	pmus = pmus__new(&server.roots);
	assert_string_equal(pmu__name(pmus__find_filter(pmus, "imc_0")), "uncore_imc_0");
	assert_string_equal(pmu__name(pmus__find_filter(pmus, "uncore_imc_0")), "uncore_imc_0");
	assert_false(pmus__take_types(pmus));
	pmus__free(pmus);
}

static void test_events_have_terms_unit_and_scale_in_any_locale(void **state)
{
	struct pmus *pmus = pmus__new(&server.roots);
	struct pmu *imc = pmus__find(pmus, "uncore_imc_0");
	struct pmu_alias alias;

	(void)state;
	setlocale(LC_ALL, "de_DE.UTF-8");
	assert_int_equal(pmu__find_alias(imc, "CAS", &alias), 0);
	assert_string_equal(alias.name, "cas");
	assert_string_equal(alias.terms, "event=0x04");
	assert_string_equal(alias.unit, "MiB");
	assert_true(alias.scale > 0.499 && alias.scale < 0.501);
	assert_true(alias.per_pkg);
	assert_true(alias.snapshot);
	assert_string_equal(pmu__alias_name(imc, 0), "cas");
	assert_null(pmu__alias_name(imc, 1));
	assert_int_equal(pmu__find_alias(imc, "cas.unit", &alias), -ENOENT);
	pmus__free(pmus);
}

static void test_broken_files_are_errors(void **state)
{
	static const struct {
		const char *file, *content;
		int expected;
	} rows[] = {
		{ "events/nul", "", -EINVAL },
		{ "events/scaled.scale", "nan", -EINVAL },
		{ "events/scaled2.scale", "1x", -EINVAL },
		{ "events/scaled3.scale", "-1", -EINVAL },
	};
	struct fake_roots fake;
	struct pmu_alias alias;
	struct pmu *pmu;
	char *huge = malloc(1000001);

	(void)state;
	fake_roots__init(&fake);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fake_roots__pmu_file(&fake, "x", rows[i].file, rows[i].content);
	fake_roots__pmu_file(&fake, "x", "events/scaled", "event=1");
	fake_roots__pmu_file(&fake, "x", "events/scaled2", "event=1");
	fake_roots__pmu_file(&fake, "x", "events/scaled3", "event=1");
	memset(huge, 'a', 1000000);
	huge[1000000] = '\0';
	fake_roots__pmu_file(&fake, "x", "events/huge", huge);
	fake_roots__pmu_file(&fake, "x", "type", "4294967296");
	fake_roots__pmu_file(&fake, "x", "events/dir/file", "1");
	pmu = pmu__new(&fake.roots, "x");
	assert_int_equal(pmu__load(pmu), -ERANGE);
	assert_string_equal(pmu__bad_file(pmu), "type");
	assert_int_equal(pmu__find_alias(pmu, "nul", &alias), -EINVAL);
	assert_int_equal(pmu__find_alias(pmu, "scaled", &alias), -EINVAL);
	assert_int_equal(pmu__find_alias(pmu, "scaled2", &alias), -EINVAL);
	assert_int_equal(pmu__find_alias(pmu, "scaled3", &alias), -EINVAL);
	assert_int_equal(pmu__find_alias(pmu, "huge", &alias), -EFBIG);
	assert_int_equal(pmu__find_alias(pmu, "dir", &alias), -EISDIR);
	pmu__free(pmu);
	pmu = pmu__new(&fake.roots, "none");
	assert_int_equal(pmu__load(pmu), -ENOENT);
	pmu__free(pmu);
	fake_roots__pmu_file(&fake, "y", "type", "7");
	fake_roots__pmu_file(&fake, "y", "cpumask", "0-");
	pmu = pmu__new(&fake.roots, "y");
	assert_int_equal(pmu__load(pmu), -EINVAL);
	assert_string_equal(pmu__bad_file(pmu), "cpumask");
	pmu__free(pmu);
	/* long but valid: more than a page of 4096 bytes */
	for (int i = 0; i < 10000; i++)
		huge[i] = i & 1 ? ',' : '7';
	huge[9999] = '\0';
	fake_roots__pmu_file(&fake, "z", "type", "8");
	fake_roots__pmu_file(&fake, "z", "cpus", huge);
	pmu = pmu__new(&fake.roots, "z");
	assert_int_equal(pmu__load(pmu), 0);
	assert_int_equal(pmu__cpus(pmu)->nr, 1);
	pmu__free(pmu);
	fake_roots__remove(&fake);
	free(huge);
}

static void test_patterns_match_names_numbers_and_second_names(void **state)
{
	static const struct {
		const char *name, *pattern;
		bool matches;
	} rows[] = {
		{ "uncore_imc_0", "uncore_imc_0", true },
		{ "uncore_imc_0", "imc_0", true },
		{ "uncore_imc_0", "uncore_imc", true },
		{ "uncore_imc_0", "imc", true },
		{ "uncore_imc_0", "im", false },
		{ "uncore_imc_0", "uncore", false },
		{ "uncore_imc_0", "imc_*", true },
		{ "uncore_imc_0", "*imc*", true },
		{ "uncore_imc_0", "*cha*", false },
		{ "uncore_imc_10", "imc_1", false },
		{ "uncore_imc_free_running_0", "imc", false },
		{ "imc7", "imc", true },
		{ "arm_dmc_28008c00", "arm_dmc", true },
		{ "cpum_cf", "cpum", false },
		{ "pmu_x", "second", true },
	};
	struct fake_roots fake;

	(void)state;
	fake_roots__init(&fake);
	fake_roots__pmu_file(&fake, "pmu_x", "alias", "second_3\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmu *pmu = pmu__new(&fake.roots, rows[i].name);

		if (pmu__matches(pmu, rows[i].pattern) != rows[i].matches)
			fail_msg("%s and %s", rows[i].name, rows[i].pattern);
		pmu__free(pmu);
	}
	fake_roots__remove(&fake);
}

static void test_a_directory_is_read_sorted(void **state)
{
	struct dir_names dir;

	(void)state;
	assert_int_equal(dir_names__read(&dir, server.tracefs, "events/sched"), 0);
	assert_int_equal(dir.nr, 3);
	assert_string_equal(dir.names[0], "enable");
	assert_string_equal(dir.names[2], "sched_wakeup");
	dir_names__free(&dir);
	assert_int_equal(dir_names__read(&dir, server.tracefs, "nothing"), -ENOENT);
	assert_int_equal(dir.nr, 0);
	assert_int_equal(dir_names__read(&dir, server.tracefs, "events/enable"), -ENOTDIR);
}

static int setup(void **state)
{
	(void)state;
	fake_roots__init(&server);
	fake_roots__server(&server);
	fake_roots__init(&hybrid);
	fake_roots__hybrid(&hybrid);
	fake_roots__init(&bare);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_roots__remove(&server);
	fake_roots__remove(&hybrid);
	fake_roots__remove(&bare);
	return 0;
}

static void test_the_bits_of_formats_are_known_unless_one_is_invalid(void **state)
{
	struct fake_roots fake;
	struct pmu *pmu;
	uint64_t bits[4];

	(void)state;
	fake_roots__load(&fake, "amd");
	pmu = pmu__new(&fake.roots, "cpu");
	assert_true(pmu__format_bits(pmu, bits));
	assert_int_equal(bits[0], 0xfff84ffffULL);
	assert_int_equal(bits[1] | bits[2] | bits[3], 0);
	pmu__free(pmu);
	fake_roots__remove(&fake);
	fake_roots__load(&fake, "broken");
	pmu = pmu__new(&fake.roots, "cpu");
	assert_false(pmu__format_bits(pmu, bits));
	pmu__free(pmu);
	fake_roots__remove(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats_are_parsed),
		cmocka_unit_test(test_invalid_formats_are_refused),
		cmocka_unit_test(test_pmus_come_core_first_and_by_number),
		cmocka_unit_test(test_a_machine_without_pmus_has_a_placeholder_pmu),
		cmocka_unit_test(test_hybrid_pmus_have_their_cpus),
		cmocka_unit_test(test_pmus_are_found_by_type_and_without_their_prefixes),
		cmocka_unit_test(test_events_have_terms_unit_and_scale_in_any_locale),
		cmocka_unit_test(test_broken_files_are_errors),
		cmocka_unit_test(test_patterns_match_names_numbers_and_second_names),
		cmocka_unit_test(test_a_directory_is_read_sorted),
		cmocka_unit_test(test_the_bits_of_formats_are_known_unless_one_is_invalid),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
