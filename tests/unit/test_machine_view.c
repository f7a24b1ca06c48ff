// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"
#include "tests/unit/stat-fixture.h"

#include <errno.h>
#include <math.h>

#include "util/base/sysfs.h"
#include "util/machine/machine-view.h"

static struct fake_tree tree;
static struct sysroots roots;
static struct machine_view machine;

/* Two packages with two dies, each with two cores of two threads; CPU 15 is offline. */
static int set_up(void **state)
{
	(void)state;
	fake_tree__init(&tree);
	roots = (struct sysroots){ .sysfs = tree.root, .procfs = tree.root, .tracefs = tree.root };
	machine = (struct machine_view){ .roots = &roots };
	for (int i = 0; i < 15; i++) {
		struct fake_cpu cpu = {
			.cpu = i, .socket = i / 8, .die = i / 4 % 2, .core = i / 2 % 2
		};

		fake_tree__add_cpu(&tree, &cpu);
	}
	fake_tree__write(&tree, "0-14", "devices/system/cpu/online");
	fake_tree__write(&tree, "0-15", "devices/system/cpu/present");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_tree__free(&tree);
	return 0;
}

static void expect_literal(const char *name, double wanted)
{
	double value = NAN;
	int err = machine_view__literal(&machine, name, &value);

	if (err || value != wanted)
		print_error("%s: %d, %g\n", name, err, value);
	assert_int_equal(err, 0);
	assert_true(value == wanted);
}

static void literals_describe_the_topology(void **state)
{
	(void)state;
	expect_literal("#num_cpus", 16);
	expect_literal("#num_cpus_online", 15);
	expect_literal("#num_cores", 8);
	expect_literal("#num_dies", 4);
	expect_literal("#num_packages", 2);
	expect_literal("#Num_Packages", 2);
	expect_literal("#has_pmem", 0);
	fake_tree__write(&tree, "x", "firmware/acpi/tables/NFIT");
	expect_literal("#has_pmem", 1);
}

static void smt_comes_from_the_kernel_or_from_the_topology(void **state)
{
	(void)state;
	expect_literal("#smt_on", 1);
	fake_tree__write(&tree, "0", "devices/system/cpu/smt/active");
	expect_literal("#SMT_on", 0);
	fake_tree__write(&tree, "1", "devices/system/cpu/smt/active");
	expect_literal("#SMT_ON", 1);
}

static void core_wide_is_all_threads_of_each_core(void **state)
{
	static const struct {
		const char *cpus;
		double value;
	} rows[] = { { "0-1", 1 }, { "0", 0 }, { "0-2", 0 }, { "0-3,8-9", 1 }, { "14", 1 } };

	(void)state;
	expect_literal("#core_wide", 0);
	machine.system_wide = true;
	expect_literal("#core_wide", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpumap *cpus;

		assert_int_equal(cpumap__parse(rows[i].cpus, &cpus), 0);
		machine.cpus = cpus;
		expect_literal("#core_wide", rows[i].value);
		cpumap__free(cpus);
	}
	machine.cpus = NULL;
	machine.system_wide = false;
}

static void slots_are_those_of_the_core_pmu(void **state)
{
	double value;

	(void)state;
	assert_int_equal(machine_view__literal(&machine, "#slots", &value), -ENODATA);
	fake_tree__write(&tree, "4", "bus/event_source/devices/cpu/type");
	fake_tree__write(&tree, "0x8", "bus/event_source/devices/cpu/caps/slots");
	expect_literal("#slots", 8);
}

static void other_literals_are_unknown(void **state)
{
	double value;

	(void)state;
	assert_int_equal(machine_view__literal(&machine, "#nothing", &value), -ENOENT);
	assert_int_equal(machine_view__literal(&machine, "#", &value), -ENOENT);
	assert_int_equal(machine_view__literal(&machine, "#num_cpu", &value), -ENOENT);
}

static void a_cpu_is_known_by_its_name(void **state)
{
	static const struct {
		const char *cpuid;
		bool is;
	} rows[] = {
		{ "GenuineIntel-6-55-7", true },
		{ "GenuineIntel-6-55", true },
		{ "GenuineIntel-6-5", false },
		{ "GenuineIntel-6-55-[56789ABCDEF]", true },
		{ "GenuineIntel-6-55-[01234]", false },
		/* Without three hyphens, the stepping is ignored. */
		{ "GenuineIntel-6-55-[0-9]", false },
		{ "GenuineIntel-6-[[:xdigit:]]+", true },
		{ "(AuthenticAMD|GenuineIntel)-6-55-7", true },
		{ "GenuineIntel-6-(", false },
		{ "", false },
		{ "((((a{255}){255}){255}){255})*GenuineIntel-6-55", false },
	};

	(void)state;
	fake_tree__write(
		&tree,
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
		"model name\t: X\nstepping\t: 7\ncpu MHz\t\t: 2500.5\nflags\t\t: fpu hypervisor "
		"x\n\nprocessor\t: 1\n"
		"vendor_id\t: Other\n",
		"cpuinfo");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(machine_view__is_cpu(&machine, rows[i].cpuid), rows[i].is);
	fake_tree__write(&tree, "processor\t: 0\nCPU part\t: 0xd0c", "cpuinfo");
	fake_tree__write(&tree, "0x00000000413fd0c1",
			 "devices/system/cpu/cpu0/regs/identification/midr_el1");
	assert_true(machine_view__is_cpu(&machine, "0x00000000410fd0c0"));
	assert_true(machine_view__is_cpu(&machine, "0x413fd0c1"));
	assert_false(machine_view__is_cpu(&machine, "0x413fd0c2"));
	assert_false(machine_view__is_cpu(&machine, "0x414fd0c0"));
	assert_false(machine_view__is_cpu(&machine, "0x410fd493"));
	assert_false(machine_view__is_cpu(&machine, ""));
}

static void with_several_kinds_of_core_the_first_core_pmu_decides(void **state)
{
	static const char midr[] = "devices/system/cpu/cpu%d/regs/identification/midr_el1";
	static const char pmu[] = "bus/event_source/devices/%s/%s";

	(void)state;
	fake_tree__write(&tree, "CPU part\t: 0xd03", "cpuinfo");
	for (int cpu = 0; cpu < 15; cpu++)
		fake_tree__write(&tree, cpu < 4 ? "0x00000000410fd034" : "0x00000000410fd082", midr,
				 cpu);
	/* For a PMU without a list of CPUs, the first CPU is used. */
	fake_tree__write(&tree, "4", pmu, "cpu", "type");
	assert_true(machine_view__is_cpu(&machine, "0x410fd030"));
	assert_false(machine_view__is_cpu(&machine, "0x410fd080"));
	fake_tree__write(&tree, "8", pmu, "armv8_cortex_a53", "type");
	fake_tree__write(&tree, "0-3", pmu, "armv8_cortex_a53", "cpus");
	fake_tree__write(&tree, "9", pmu, "armv8_big", "type");
	fake_tree__write(&tree, "4-14", pmu, "armv8_big", "cpus");
	assert_false(machine_view__is_cpu(&machine, "0x410fd030"));
	assert_true(machine_view__is_cpu(&machine, "0x410fd080"));
	/* The first CPU is offline and has no data. */
	fake_tree__write(&tree, "1-3", "devices/system/cpu/online");
	assert_true(machine_view__is_cpu(&machine, "0x410fd030"));
	fake_tree__write(&tree, "0-14", "devices/system/cpu/online");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_describe_the_topology),
		cmocka_unit_test(smt_comes_from_the_kernel_or_from_the_topology),
		cmocka_unit_test(core_wide_is_all_threads_of_each_core),
		cmocka_unit_test(slots_are_those_of_the_core_pmu),
		cmocka_unit_test(other_literals_are_unknown),
		cmocka_unit_test(a_cpu_is_known_by_its_name),
		cmocka_unit_test(with_several_kinds_of_core_the_first_core_pmu_decides),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
