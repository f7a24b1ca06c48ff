// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vendors' event files: how pstat finds the files for a CPU, reads the fields of an event, and
 * reports invalid files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "tests/unit/fake-tree.h"
#include "tests/unit/machine-files.h"
#include "tests/unit/show-events.h"
#include "util/event/event-list.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"
#include "util/machine/cpu/cpuid.h"
#include "util/machine/pmu/pmu.h"

struct row {
	const char *text, *expected;
};

/* The packed contents of tests/data/vendor, without two x86 files that are not valid JSON. */
static struct fake_tree packed;
static char packed_dir[64];

static int pack(void **state)
{
	char command[512];

	(void)state;
	fake_tree__init(&packed);
	snprintf(packed_dir, sizeof(packed_dir), "%s/packed", packed.root);
	snprintf(command, sizeof(command),
		 "cp -r tests/data/vendor/x86 tests/data/vendor/arm64 %s && rm "
		 "%s/x86/lake/broken.json "
		 "%s/x86/lake/empty.json && scripts/pack-events %s %s",
		 packed.root, packed.root, packed.root, packed.root, packed_dir);
	return system(command);
}

static int remove_packed(void **state)
{
	(void)state;
	fake_tree__free(&packed);
	return 0;
}

static void check_rows_in(const char *machine, const char *dir, const struct row *rows)
{
	struct fake_roots fake;
	struct event_env env = { .roots = &fake.roots };

	fake_roots__load(&fake, machine);
	env.vendor = vendor__new(dir, &fake.roots);
	for (; rows->text; rows++) {
		struct parse_error error = PARSE_ERROR_INIT;
		struct strbuf got = STRBUF_INIT;
		struct evlist *evlist = evlist__new();

		if (parse_events(evlist, rows->text, &env, &error))
			strbuf__addf(&got, "%zu: %s", error.column, error.reason.text);
		else
			show_events(&got, evlist);
		assert_string_equal(got.text, rows->expected);
		strbuf__free(&got);
		parse_error__free(&error);
		evlist__free(evlist);
	}
	vendor__free(env.vendor);
	fake_roots__remove(&fake);
}

/* Checks that one architecture's JSON files, all JSON files, and the packed files give @rows. */
static void check_rows(const char *machine, const char *dir, const struct row *rows)
{
	check_rows_in(machine, dir, rows);
	check_rows_in(machine, "tests/data/vendor", rows);
	check_rows_in(machine, packed_dir, rows);
}

/* The longest possible name; errors contain 64 bytes of it. */
#define L15 "long.long.long."
#define L60 L15 L15 L15 L15
#define L255 L60 L60 L60 L60 L15

/* The expected terms are those that perf 6.12's jevents.py makes from the same fields. */
static void test_intels_events_have_the_terms_of_jevents(void **state)
{
	static const struct row rows[] = {
		{ "inst_retired.any", "inst_retired.any 4:0xc0 -G on cpu" },
		{ "INST_RETIRED.ANY:u", "INST_RETIRED.ANY:u 4:0xc0 -k -h -G on cpu" },
		{ "cpu/inst_retired.any/k", "cpu/inst_retired.any/k 4:0xc0 -u -h on cpu" },
		{ "cpu/Inst_Retired.Any,cmask=1,name=x/", "x 4:0x10000c0 -G on cpu" },
		{ "uops.stalls", "uops.stalls 4:0x1a401b1 -G on cpu" },
		{ "uops.stalls/umask=2/u", "uops.stalls/umask=2/u 4:0x1a403b1 -k -h -G on cpu" },
		{ "ocr.demand", "ocr.demand 4:0x1b7 c1=0x3fbfc00001 -G on cpu" },
		{ "frontend.late", "frontend.late 4:0x1c6 c1=0x400406 -G on cpu" },
		{ "loads.slow:p", "loads.slow:p 4:0x1cd c1=0x80 -G p=0x1 on cpu" },
		{ "by.config", "by.config 4:0x10c0 -G on cpu" },
		{ "old.name", "old.name 4:0x11 -G on cpu" },
		{ "numbers", "numbers 4:0x23c -G on cpu" },
		{ "unc_cha_tor", "unc_cha_tor 30:0xc001fe00000135 c1=0x3040000000000 -G on "
				 "uncore_cha_0 cpus 0,16; "
				 "unc_cha_tor 31:0xc001fe00000135 c1=0x3040000000000 -G on "
				 "uncore_cha_1 cpus 0,16 merged" },
		{ "unc_upi_data", "unc_upi_data 40:0x2 -G on uncore_type_4_2 cpus 0,16" },
		{ "uncore_imc_1/unc_m_cas/", "uncore_imc_1/unc_m_cas/ 21:0x304 -G MiB*6.10352e-05 "
					     "pkg on uncore_imc_1 cpus 0,16" },
		{ "{unc_m_cas,cs}:W",
		  "{unc_m_cas 20:0x304 -G W MiB*6.10352e-05 pkg on uncore_imc_0 cpus 0,16; cs "
		  "1:0x3 -G W}; "
		  "unc_m_cas 21:0x304 -G W MiB*6.10352e-05 pkg on uncore_imc_1 cpus 0,16 merged; "
		  "unc_m_cas 22:0x304 -G W MiB*6.10352e-05 pkg on uncore_imc_10 cpus 0,16 merged" },
		{ "cycles", "cycles 0:0x0 -G" },
		{ L255, L255 " 4:0x12 -G on cpu" },
		{ L255 "l", "0: unknown event '" L60 "long'" },
		{ "bad.code", "0: unknown event 'bad.code'" },
		{ "bad.filter", "0: event 'bad.filter' of PMU 'cpu': the vendor's file describes "
				"it as 'event=0x1,=,': expected a term, "
				"but found '='" },
		{ "bad.term",
		  "0: unknown term 'ch_mask' for pmu 'cpu' in the vendor's event 'bad.term'" },
		{ "unc_nowhere", "0: unknown event 'unc_nowhere'" },
		{ "msr/inst_retired.any/", "4: unknown term 'inst_retired.any' for pmu 'msr'" },
		{ "ipc", "0: unknown event 'ipc'" },
		{ NULL, NULL },
	};

	(void)state;
	check_rows("server", "tests/data/vendor/x86", rows);
}

static void test_amds_events_have_their_pmus(void **state)
{
	static const struct row rows[] = {
		{ "ls_dispatch.any", "ls_dispatch.any 4:0x729 -G on cpu" },
		{ "far_code", "far_code 4:0x1000000c3 -G on cpu" },
		{ "l3_lookup", "l3_lookup 12:0x300c0000000ff04 -G on amd_l3 cpus 0,8" },
		{ "dram_reads", "dram_reads 13:0xfe1f -G Bytes*64 pkg on amd_df cpus 0" },
		{ "umc_cas.rd", "umc_cas.rd 16:0x10a -G on amd_umc_0 cpus 0; umc_cas.rd 17:0x10a "
				"-G on amd_umc_1 cpus 0 merged" },
		{ NULL, NULL },
	};

	(void)state;
	check_rows("amd", "tests/data/vendor/x86", rows);
}

static void test_each_kind_of_arm_core_has_its_own_events(void **state)
{
	static const struct row rows[] = {
		{ "small_only", "small_only 8:0xc0 -G on armv8_cortex_a53 cpus 0-3 core" },
		{ "big_only", "big_only 9:0xc1 -G on armv8_cortex_a72 cpus 4-5 core" },
		{ "l1d_cache_refill",
		  "l1d_cache_refill 8:0x3 -G on armv8_cortex_a53 cpus 0-3 core; "
		  "l1d_cache_refill 9:0x3 -G on armv8_cortex_a72 cpus 4-5 core" },
		{ "br_retired", "br_retired 9:0x21 -G on armv8_cortex_a72 cpus 4-5 core" },
		{ "hnf_miss", "hnf_miss 12:0x10005 -G on arm_cmn_0 cpus 0" },
		{ "armv8_cortex_a53/big_only/",
		  "17: unknown term 'big_only' for pmu 'armv8_cortex_a53'" },
		{ NULL, NULL },
	};

	(void)state;
	check_rows("arm64", "tests/data/vendor/arm64", rows);
}

static void check_notes(const char *machine, const char *dir, const char *expected)
{
	struct fake_roots fake;
	struct vendor *vendor;

	fake_roots__load(&fake, machine);
	vendor = vendor__new(dir, &fake.roots);
	assert_string_equal(vendor__notes(vendor), "");
	vendor__get(vendor, 0);
	assert_non_null(strstr(vendor__notes(vendor), expected));
	vendor__free(vendor);
	fake_roots__remove(&fake);
}

static void test_files_that_cannot_be_read_are_noted(void **state)
{
	(void)state;
	check_notes("server", "tests/data/vendor/x86", "broken.json:1: ");
	check_notes("server", "tests/data/vendor/x86", "empty.json:1: ");
	check_notes("server", "tests/data/vendor/x86", "core: event 'bad.code' is malformed\n");
	check_notes("server", "tests/data/vendor/x86",
		    "core: event 'without a name' is malformed\n");
	check_notes("server", "tests/data", "tests/data/mapfile.csv: No such file or directory\n");
	check_notes("arm64", "tests/data/vendor/x86",
		    "has no events for this CPU (0x00000000410fd034)\n");
	check_notes("bare", "tests/data/vendor/x86",
		    "the model of this machine's CPU is unknown\n");
	check_notes("server", "/nonexistent", "No such file or directory\n");
	check_notes("server", packed_dir, "x86.events: event 'bad.code' is malformed\n");
	check_notes("bare", packed_dir, "the model of this machine's CPU is unknown\n");
	check_notes("server", NULL, "");
}

/* Names are looked up repeatedly and in any order. Each is listed only once. */
static void test_names_are_found_before_and_after_all_are_read(void **state)
{
	static const char *const names[] = { "uops.stalls", "nosuch", "by.config",
					     "uops.stalls", "nosuch", "numbers" };
	const struct vendor_event *event, *before = NULL, *found[6];
	struct fake_roots fake;
	struct vendor *vendor;
	struct pmu *pmu;
	int nr = 0;

	(void)state;
	fake_roots__load(&fake, "server");
	vendor = vendor__new(packed_dir, &fake.roots);
	pmu = pmu__new(&fake.roots, "cpu");
	assert_int_equal(pmu__load(pmu), 0);
	for (int i = 0; i < 6; i++)
		found[i] = vendor__find(vendor, names[i], pmu);
	assert_null(found[1]);
	assert_ptr_equal(found[0], found[3]);
	for (; (event = vendor__get(vendor, nr)); nr++) {
		assert_true(!before || strcmp(before->name, event->name) < 0);
		before = event;
	}
	assert_int_equal(nr, 16);
	for (int i = 0; i < 6; i++)
		assert_ptr_equal(vendor__find(vendor, names[i], pmu), found[i]);
	assert_string_equal(found[5]->terms, "event=0x3c,umask=0x2");
	pmu__free(pmu);
	vendor__free(vendor);
	fake_roots__remove(&fake);
}

/* The files of a system on a chip name its PMUs by the identifier that sysfs shows. */
static void test_system_events_need_a_pmu_with_their_identifier(void **state)
{
	static const struct row rows[] = {
		{ "soc_reads", "soc_reads 12:0x70000 -G on arm_cmn_0 cpus 0" },
		{ "soc_writes", "0: unknown event 'soc_writes'" },
		{ NULL, NULL },
	};

	(void)state;
	check_rows_in("arm64", packed_dir, rows);
}

static void check_missing(const char *dir, const char *expected)
{
	struct fake_roots fake;
	struct vendor *vendor;

	fake_roots__load(&fake, "server");
	vendor = vendor__new(dir, &fake.roots);
	assert_null(vendor__get(vendor, 0));
	if (expected)
		assert_string_equal(vendor__missing(vendor), expected);
	else
		assert_null(vendor__missing(vendor));
	assert_string_equal(vendor__notes(vendor), "");
	vendor__free(vendor);
	fake_roots__remove(&fake);
}

static void test_an_unknown_vendor_event_says_how_to_install_the_files(void **state)
{
	(void)state;
	check_missing(NULL, NULL);
	check_missing(
		vendor_installed,
		"the names of vendors' events are not installed\n"
		"install the package pstat-events, or run `make install-events` in pstat's source");
}

static void test_models_are_matched_by_the_patterns_of_mapfiles(void **state)
{
	static const struct {
		const char *id, *pattern;
		bool matches;
	} rows[] = {
		{ "GenuineIntel-6-55-7", "GenuineIntel-6-55", true },
		{ "GenuineIntel-6-55-7", "GenuineIntel-6-55-7", true },
		{ "GenuineIntel-6-55-7", "GenuineIntel-6-55-[56789ABCDEF]", true },
		{ "GenuineIntel-6-55-4", "GenuineIntel-6-55-[56789ABCDEF]", false },
		{ "GenuineIntel-6-55-7", "GenuineIntel-6-5", false },
		{ "GenuineIntel-6-5-7", "GenuineIntel-6-55", false },
		{ "GenuineIntel-6-9A-3", "GenuineIntel-6-(97|9A|B7|BA|BF)", true },
		{ "GenuineIntel-6-9B-3", "GenuineIntel-6-(97|9A|B7|BA|BF)", false },
		{ "AuthenticAMD-26-2-1", "AuthenticAMD-26-[[:xdigit:]]+", true },
		{ "AuthenticAMD-26-2-1", "AuthenticAMD-26-(", false },
		{ "AuthenticAMD-26-2-1", "", false },
		{ "AuthenticAMD-26-2-1", "((.{1,99}){1,99}){1,99}", false },
		{ "AuthenticAMD-26-2-1", "AuthenticAMD-((26+)?(-.*)*)+", true },
		{ "AuthenticAMD-26-2-1", "((((((((((.+)+)+)+)+)+)+)+)+)+)+", false },
		{ "AuthenticAMD-26-2-1", "(.*)*-26-(2)-1\\1", false },
		{ "0x00000000410fd034", "0x00000000410fd030", true },
		{ "0x00000000410fd034", "0x00000000410fd034", true },
		{ "0x00000000410fd034", "0x00000000410fd035", false },
		{ "0x00000000411fd030", "0x00000000410fd035", true },
		{ "0x00000000410fd080", "0x00000000410fd030", false },
		{ "0x00000000410fd034", "410fd030", true },
		{ "0x00000000410fd034", "GenuineIntel-6-55", false },
		{ "0x00000000410fd034", "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpuid id = { .cpu = -1 };

		strcpy(id.text, rows[i].id);
		assert_int_equal(cpuid__matches(&id, rows[i].pattern), rows[i].matches);
	}
}

static int add_name(const struct listed_event *event, void *arg)
{
	strbuf__addf(arg, "%s %s %s '%s' %s%s\n", event->name, event->pmu, event->topic,
		     event->brief, event->encoding, event->deprecated ? " deprecated" : "");
	return 0;
}

static void test_events_of_existing_pmus_are_listed_with_descriptions(void **state)
{
	struct event_query query = { .kinds = 1 << EVENT_VENDOR, .deprecated = true };
	struct strbuf got = STRBUF_INIT, notes = STRBUF_INIT;
	struct fake_roots fake;
	struct event_env env = { .roots = &fake.roots };

	(void)state;
	fake_roots__load(&fake, "server");
	env.vendor = vendor__new("tests/data/vendor/x86", &fake.roots);
	assert_int_equal(event_list__for_each(&env, &query, &notes, add_name, &got), 0);
	assert_non_null(strstr(
		got.text, "inst_retired.any cpu core 'Retired instructions' cpu/event=0xc0/\n"));
	assert_non_null(strstr(got.text,
			       "old.name cpu core 'use UOPS.STALLS' cpu/event=0x11/ deprecated\n"));
	assert_non_null(strstr(got.text, "unc_m_cas uncore_imc_0 uncore 'Accesses to memory' "
					 "uncore_imc/event=0x4,umask=0x3/\n"));
	assert_null(strstr(got.text, "unc_nowhere"));
	assert_non_null(strstr(vendor__notes(env.vendor), "broken.json"));
	query.deprecated = false;
	strbuf__reset(&got);
	assert_int_equal(event_list__for_each(&env, &query, &notes, add_name, &got), 0);
	assert_null(strstr(got.text, "old.name"));
	vendor__free(env.vendor);
	fake_roots__remove(&fake);
	strbuf__free(&got);
	strbuf__free(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intels_events_have_the_terms_of_jevents),
		cmocka_unit_test(test_amds_events_have_their_pmus),
		cmocka_unit_test(test_each_kind_of_arm_core_has_its_own_events),
		cmocka_unit_test(test_files_that_cannot_be_read_are_noted),
		cmocka_unit_test(test_names_are_found_before_and_after_all_are_read),
		cmocka_unit_test(test_system_events_need_a_pmu_with_their_identifier),
		cmocka_unit_test(test_an_unknown_vendor_event_says_how_to_install_the_files),
		cmocka_unit_test(test_models_are_matched_by_the_patterns_of_mapfiles),
		cmocka_unit_test(test_events_of_existing_pmus_are_listed_with_descriptions),
	};

	return cmocka_run_group_tests(tests, pack, remove_packed);
}
