// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scopes in this test program. The kernel's list of mappings says where its code is in the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/scope-fixture.h"
#include "tests/workloads/usdt.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope.h"

#define SELF "uprobe:/proc/self/exe:"

USDT_BASE();
USDT_SEMAPHORE(scope_semaphore);

int scope_test_first(int value);
int scope_test_second(int value);
int scope_test_alias(int value) __attribute__((alias("scope_test_second")));

int __attribute__((noinline)) scope_test_first(int value)
{
	USDT_PLACE(pstat_unit, twice, scope_semaphore);
	return value + 1;
}

int __attribute__((noinline)) scope_test_second(int value)
{
	USDT_PLACE(pstat_unit, twice, scope_semaphore);
	USDT_PLACE(pstat_unit, once, 0);
	if (value > 4)
		return scope_test_first(value) * 3;
	return value * value;
}

/* This program has DWARF data. The function is inlined in two places. */
static inline __attribute__((always_inline)) int scope_test_inlined(volatile int *value)
{
	return *value * *value + 3;
}

/* A function whose address is taken also exists outside of its callers. */
static inline __attribute__((always_inline)) int scope_test_also_inlined(volatile int *value)
{
	return *value + 5;
}

int (*volatile scope_test_pointer)(volatile int *value) = scope_test_also_inlined;

int scope_test_caller(volatile int *value);
int __attribute__((noinline)) scope_test_caller(volatile int *value)
{
	return scope_test_inlined(value) + 2 * scope_test_inlined(value + 1) +
	       scope_test_also_inlined(value);
}

/* Functions with the names that a C++ compiler would give them. */
#define CPLUSPLUS(c_name, symbol)                             \
	int c_name(int value) __asm__(symbol);                \
	int __attribute__((noinline, used)) c_name(int value) \
	{                                                     \
		return value + (int)sizeof(symbol);           \
	}

CPLUSPLUS(over_int, "_ZN10scope_test4overEi")
CPLUSPLUS(over_double, "_ZN10scope_test4overEd")
CPLUSPLUS(box_push, "_ZN10scope_test3BoxIiE4pushERKi")
CPLUSPLUS(box_box, "_ZN10scope_test3BoxIiEC1Ev")
CPLUSPLUS(plus, "_ZN10scope_testplERKNS_1AES2_")
CPLUSPLUS(template_int, "_ZN10scope_test4tempIiEEiT_")
CPLUSPLUS(anonymous, "_ZN12_GLOBAL__N_15anonyEv")
CPLUSPLUS(call, "_ZNK10scope_test1FclEPc")

/* Returns the file offset that is mapped at @address. */
static uint64_t file_offset(const void *address)
{
	unsigned long start, end, offset, at = (unsigned long)address;
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t found = 0;
	char line[1024];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && at >= start &&
		    at < end)
			found = offset + at - start;
	fclose(maps);
	assert_true(found);
	return found;
}

static void a_function_is_where_the_kernel_mapped_it(void **state)
{
	struct fixture *f = *state;
	const struct scope *scope;
	struct stat st;

	assert_int_equal(add(f, SELF "scope_test_first"), 0);
	assert_int_equal(f->list.nr, 1);
	scope = &f->list.scopes[0];
	assert_string_equal(scope->name, "exe:scope_test_first");
	assert_int_equal(scope->nr_begin, 1);
	assert_int_equal(scope->nr_end, 1);
	assert_int_equal(scope->begin->offset, file_offset((const void *)scope_test_first));
	assert_false(scope->begin->at_return);
	assert_int_equal(scope->end->offset, scope->begin->offset);
	assert_true(scope->end->at_return);
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(f->list.nr_files, 1);
	assert_int_equal(f->list.files[0].inode, st.st_ino);
	assert_int_equal(f->list.files[0].dev, st.st_dev);
}

static void a_file_is_in_the_list_once(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, SELF "scope_test_first"), 0);
	assert_int_equal(add(f, SELF "scope_test_second.." SELF "scope_test_first%return"), 0);
	assert_int_equal(f->list.nr_files, 1);
	assert_int_equal(f->list.scopes[0].selector, 0);
	assert_int_equal(f->list.scopes[1].selector, 1);
	assert_string_equal(f->list.scopes[1].name,
			    "exe:scope_test_second..scope_test_first%return");
	assert_true(f->list.scopes[1].end->at_return);
	assert_int_equal(f->list.scopes[1].end->offset,
			 file_offset((const void *)scope_test_first));
}

static void a_glob_adds_each_function_once(void **state)
{
	struct fixture *f = *state;

	/* The alias has the address of scope_test_second. */
	assert_int_equal(add(f, SELF "scope_test_[fs]*"), 0);
	assert_int_equal(f->list.nr, 2);
	assert_int_equal(add(f, SELF "scope_test_alias"), 0);
	assert_int_equal(f->list.scopes[2].begin->offset,
			 file_offset((const void *)scope_test_second));
	expect_error(f, SELF "nothing_*", -ENOENT, 23, "matches 'nothing_*'");
}

static void an_unknown_function_is_refused_with_similar_names(void **state)
{
	struct fixture *f = *state;

	expect_error(f, SELF "scope_test_frist", -ENOENT, 23,
		     "no function 'scope_test_frist'\nsimilar names: 'scope_test_first'");
	expect_error(f, "uprobe:/nonexistent/file:f", -ENOENT, 8, "no file");
	expect_error(f, "uprobe:no-such-library:f", -ENOENT, 8, "no library and no command");
	expect_error(f, "uprobe:/etc/passwd:f", -ENOEXEC, 8, "not an ELF file");
	expect_error(f, "uprobe:/dev/null:f", -ENOEXEC, 8, "not an ELF file");
	expect_error(f, "uprobe:/tmp:f", -ENOEXEC, 8, "not an ELF file");
}

static void a_function_that_is_inlined_everywhere_is_refused(void **state)
{
	struct fixture *f = *state;
	volatile int values[2] = { 1, 2 };

	assert_int_equal(scope_test_caller(values), 24);
	expect_error(f, SELF "scope_test_inlined", -EOPNOTSUPP, 23,
		     "the compiler inlined 'scope_test_inlined' everywhere (2 places)");
}

static char warnings[1024];

static void keep_warning(enum log_level level, const char *text)
{
	if (level == LOG_WARNING)
		snprintf(warnings, sizeof(warnings), "%s", text);
}

static void a_function_that_is_also_inlined_causes_a_warning(void **state)
{
	struct fixture *f = *state;

	log__set_sink(keep_warning);
	assert_int_equal(add(f, SELF "scope_test_caller"), 0);
	assert_string_equal(warnings, "");
	assert_int_equal(add(f, SELF "scope_test_also_inlined"), 0);
	log__set_sink(NULL);
	assert_non_null(strstr(warnings, "also inlined 'scope_test_also_inlined' in 1 place,"));
}

static void an_address_belongs_to_the_file(void **state)
{
	struct fixture *f = *state;
	uint64_t offset = file_offset((const void *)scope_test_first);
	char spec[128];

	/* The linker gives the first code segment of a PIE equal offsets and addresses. */
	assert_int_equal(add(f, SELF "scope_test_first"), 0);
	snprintf(spec, sizeof(spec), SELF "%#llx", (unsigned long long)offset);
	if (!add(f, spec)) {
		assert_int_equal(f->list.scopes[1].begin->offset, offset);
		snprintf(spec, sizeof(spec), SELF "%#llx", (unsigned long long)offset + 1);
		expect_error(f, spec, -EINVAL, 23, "applies only to the beginning of a function");
	}
	expect_error(f, SELF "0xfffffffffffffff0", -ENOENT, 23, "no such address");
	expect_error(f, SELF "0", -EACCES, 23, "no code at this address");
}

static void an_offset_stays_within_the_function(void **state)
{
	struct fixture *f = *state;
	struct scope_point *points;
	int nr, offset = 0, err;
	char spec[128];

	/* The second instruction begins after at most 15 bytes. */
	do {
		strbuf__reset(&f->why);
		snprintf(spec, sizeof(spec), SELF "scope_test_second+%d", ++offset);
		err = scope_list__find_point(&f->list, &f->env, spec, &points, &nr, &f->why);
	} while (err && offset < 15);
	assert_int_equal(err, 0);
	assert_int_equal(nr, 1);
	assert_int_equal(points->offset,
			 file_offset((const void *)scope_test_second) + (uint64_t)offset);
	snprintf(spec, sizeof(spec), "exe:scope_test_second+%#x", (unsigned int)offset);
	assert_string_equal(points->name, spec);
	scope_points__free(points, nr);
	assert_int_equal(scope_list__find_point(&f->list, &f->env, SELF "scope_test_second+9999",
						&points, &nr, &f->why),
			 -EINVAL);
	assert_non_null(strstr(f->why.text, "past its end"));
}

static void no_probe_is_placed_within_an_instruction(void **state)
{
	struct fixture *f = *state;
	struct scope_point *points;
	int refused = 0, nr;
	char spec[128];

	/* On neither architecture do all instructions have one byte. */
	for (int offset = 1; offset < 5; offset++) {
		strbuf__reset(&f->why);
		snprintf(spec, sizeof(spec), SELF "scope_test_second+%d", offset);
		if (!scope_list__find_point(&f->list, &f->env, spec, &points, &nr, &f->why)) {
			scope_points__free(points, nr);
			continue;
		}
		assert_non_null(strstr(f->why.text, "would damage the program"));
		refused++;
	}
	assert_true(refused >= 2);
}

static void return_instructions_are_found(void **state)
{
	struct fixture *f = *state;
	const struct scope *scope;

	assert_int_equal(add(f, SELF "scope_test_second..scope_test_second%returns"), 0);
	scope = &f->list.scopes[0];
	assert_true(scope->nr_end >= 1);
	for (int i = 0; i < scope->nr_end; i++) {
		const uint8_t *code = (const uint8_t *)scope_test_second +
				      (scope->end[i].offset - scope->begin->offset);
#ifdef __aarch64__
		assert_memory_equal(code, "\xc0\x03\x5f\xd6", 4);
#else
		assert_int_equal(*code, 0xc3);
#endif
		assert_false(scope->end[i].at_return);
	}
}

static void a_usdt_point_has_all_of_its_places(void **state)
{
	struct fixture *f = *state;
	const struct scope *scope;

	assert_int_equal(add(f, "usdt:/proc/self/exe:twice..once"), 0);
	scope = &f->list.scopes[0];
	assert_string_equal(scope->name, "exe:pstat_unit:twice..once");
	assert_int_equal(scope->nr_begin, 2);
	assert_int_equal(scope->nr_end, 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(scope->begin[i].ref_ctr_offset, file_offset(&scope_semaphore));
	assert_int_equal(scope->end->ref_ctr_offset, 0);
	assert_int_equal(add(f, "usdt:/proc/self/exe:pstat_*:tw*..pstat_unit:once"), 0);
	assert_int_equal(f->list.scopes[1].nr_begin, 2);
	expect_error(f, "usdt:/proc/self/exe:pstat_unit:twcie..once", -ENOENT, 32,
		     "similar names: 'twice'");
	expect_error(f, "usdt:/proc/self/exe:other:twice..once", -ENOENT, 27,
		     "no USDT point 'other:twice'");
	expect_error(f, "usdt:libm:a..b", -ENOENT, 6, "has no USDT points");
}

static void expect_function(struct fixture *f, const char *name, int (*function)(int value),
			    const char *shown)
{
	char spec[256];
	int nr = f->list.nr;

	snprintf(spec, sizeof(spec), SELF "%s", name);
	if (add(f, spec))
		fail_msg("%s", f->why.text);
	assert_int_equal(f->list.nr, nr + 1);
	assert_int_equal(f->list.scopes[nr].begin->offset, file_offset((const void *)function));
	assert_string_equal(f->list.scopes[nr].name, shown);
}

static void functions_of_cplusplus_have_the_names_that_the_source_uses(void **state)
{
	struct fixture *f = *state;

	expect_function(f, "scope_test::over(int)", over_int, "exe:scope_test::over");
	expect_function(f, "scope_test::over(double)", over_double, "exe:scope_test::over");
	expect_function(f, "scope_test::Box<int>::push", box_push,
			"exe:scope_test::Box<int>::push");
	expect_function(f, "scope_test::Box< int >::push(int const&)", box_push,
			"exe:scope_test::Box<int>::push");
	expect_function(f, "scope_test::Box<int>::Box", box_box, "exe:scope_test::Box<int>::Box");
	expect_function(f, "scope_test::operator+", plus, "exe:scope_test::operator+");
	expect_function(f, "scope_test::temp<int>", template_int, "exe:int scope_test::temp<int>");
	expect_function(f, "(anonymous namespace)::anony", anonymous,
			"exe:(anonymous namespace)::anony");
	expect_function(f, "scope_test::F::operator()", call, "exe:scope_test::F::operator()");
	expect_function(f, "scope_test::Box<*>::p*", box_push, "exe:scope_test::Box<int>::push");
	expect_function(f, "_ZN10scope_test4overEi", over_int, "exe:_ZN10scope_test4overEi");
	expect_error(f, SELF "scope_test::ovre", -ENOENT, 23, "similar names: 'scope_test::over'");
}

static void overloaded_functions_are_shown_with_their_parameters(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, SELF "scope_test::over"), 0);
	assert_int_equal(f->list.nr, 2);
	assert_string_equal(f->list.scopes[0].name, "exe:scope_test::over(int)");
	assert_string_equal(f->list.scopes[1].name, "exe:scope_test::over(double)");
}

static void libraries_are_found_by_name(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "uprobe:libc:malloc"), 0);
	assert_int_equal(add(f, "uprobe:libc.so.6:malloc"), 0);
	assert_int_equal(f->list.nr_files, 1);
	assert_string_equal(f->list.scopes[0].name, "libc.so.6:malloc");
	/* also by the path from which this process has mapped it */
	f->env.pid = getpid();
	assert_int_equal(add(f, "uprobe:libc:malloc"), 0);
	assert_int_equal(f->list.nr_files, 1);
	assert_int_equal(f->list.scopes[2].begin->offset, f->list.scopes[0].begin->offset);
	expect_error(f, "uprobe:libc:memcpy", -EOPNOTSUPP, 13, "IFUNC");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_function_is_where_the_kernel_mapped_it),
		TEST(a_file_is_in_the_list_once),
		TEST(a_glob_adds_each_function_once),
		TEST(an_unknown_function_is_refused_with_similar_names),
		TEST(a_function_that_is_inlined_everywhere_is_refused),
		TEST(a_function_that_is_also_inlined_causes_a_warning),
		TEST(an_address_belongs_to_the_file),
		TEST(an_offset_stays_within_the_function),
		TEST(no_probe_is_placed_within_an_instruction),
		TEST(return_instructions_are_found),
		TEST(a_usdt_point_has_all_of_its_places),
		TEST(functions_of_cplusplus_have_the_names_that_the_source_uses),
		TEST(overloaded_functions_are_shown_with_their_parameters),
		TEST(libraries_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
