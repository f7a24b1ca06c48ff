// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/pending-signal.h"
#include "util/machine/symbols/symbol-table.h"

static void add(struct symbol_table *table, uint64_t address, uint64_t size, const char *name,
		int rank)
{
	const struct symbol symbol = {
		.address = address, .size = size, .name = name, .rank = rank
	};

	assert_int_equal(symbol_table__add(table, &symbol), 0);
}

static void expect(struct symbol_table *table, uint64_t address, const char *name)
{
	const struct symbol *found = symbol_table__find(table, address);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found->name, name);
}

static void a_symbol_reaches_from_its_address_to_the_end_of_its_size(void **state)
{
	struct symbol_table *table = symbol_table__new();

	(void)state;
	add(table, 0x2000, 0x10, "second", 0);
	add(table, 0x1000, 0x20, "first", 0);
	expect(table, 0xfff, NULL);
	expect(table, 0x1000, "first");
	expect(table, 0x101f, "first");
	expect(table, 0x1020, NULL);
	expect(table, 0x200f, "second");
	expect(table, 0x2010, NULL);
	symbol_table__free(table);
}

static void a_symbol_without_a_size_ends_at_the_next(void **state)
{
	struct symbol_table *table = symbol_table__new();

	(void)state;
	add(table, 0x1000, 0, "label", 0);
	add(table, 0x2000, 1, "next", 0);
	expect(table, 0x1fff, "label");
	expect(table, 0x2000, "next");
	expect(table, 0x2001, NULL);
	symbol_table__free(table);
}

static void a_symbol_without_a_size_ends_with_its_section(void **state)
{
	const struct symbol init = {
		.address = 0x1000, .size = 0x17, .is_open = true, .name = "_init"
	};
	struct symbol_table *table = symbol_table__new();

	(void)state;
	assert_int_equal(symbol_table__add(table, &init), 0);
	add(table, 0x2000, 1, "next", 0);
	expect(table, 0x1016, "_init");
	expect(table, 0x1017, NULL);
	symbol_table__free(table);
}

static void names_can_share_the_same_text(void **state)
{
	struct symbol_table *table = symbol_table__new();
	const char *text = symbol_table__keep(table, "\0one_name", 9);
	const struct symbol whole = { .address = 0x1000, .size = 1, .name = text + 1 },
			    part = { .address = 0x2000, .size = 1, .name = text + 5 };

	(void)state;
	assert_int_equal(symbol_table__add_kept(table, &whole), 0);
	assert_int_equal(symbol_table__add_kept(table, &part), 0);
	expect(table, 0x1000, "one_name");
	expect(table, 0x2000, "name");
	symbol_table__free(table);
}

/*
 * Compares the stubs of @path, which have at least @size bytes each, with the names that @objdump
 * prints for them. Returns their number.
 */
static int compare_stubs(struct symbol_table *table, const char *objdump, const char *path,
			 uint64_t size)
{
	char command[8192], line[1024], name[512];
	unsigned long long address;
	FILE *stubs;
	int nr = 0;

	snprintf(command, sizeof(command), "%s -d -j .plt -j .plt.sec -j .plt.got %s 2>&1", objdump,
		 path);
	stubs = popen(command, "r");
	assert_non_null(stubs);
	assert_int_equal(symbol_table__add_file(table, path), 0);
	while (fgets(line, sizeof(line), stubs)) {
		const char *end = strstr(line, "@plt>:");

		if (!end || sscanf(line, "%llx <%511[^>]>", &address, name) != 2)
			continue;
		expect(table, address, name);
		expect(table, address + 5, name);
		expect(table, address + size - 1, name);
		nr++;
	}
	pclose(stubs);
	return nr;
}

/* Uses the stubs of this program. */
static void stubs_of_the_plt_have_names(void **state)
{
	struct symbol_table *table = symbol_table__new();
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)state;
	assert_true(len > 0);
	path[len] = '\0';
	assert_true(compare_stubs(table, "objdump", path, 8) > 5);
	symbol_table__free(table);
}

#define ARM64_LIB "void first(void) {} void second(void) {} void third(void) {}"
/*
 * If resolve() had only one answer, clang 19 would replace the call through a stub with a call to
 * own().
 */
#define ARM64_PROGRAM                                                                     \
	"void first(void); void second(void); void third(void); static void own(void) {}" \
	"static void other(void) {} static volatile int which;"                           \
	"static void *resolve(void) { return which ? own : other; }"                      \
	"void chosen(void) __attribute__((ifunc(\"resolve\")));"                          \
	"void (*volatile pointer)(void) = third;"                                         \
	"void _start(void) { first(); second(); third(); chosen(); }"

static void run(const char *command)
{
	if (system(command))
		fail_msg("%s", command);
}

/* Returns the address of the section @name of @path, as readelf prints it. */
static uint64_t section_address(const char *path, const char *name)
{
	char command[256], line[1024], found[64];
	unsigned long long address = 0;
	FILE *sections;

	snprintf(command, sizeof(command), "readelf -SW %s", path);
	sections = popen(command, "r");
	assert_non_null(sections);
	while (fgets(line, sizeof(line), sections)) {
		const char *at = strchr(line, ']');
		unsigned long long value;

		if (at && sscanf(at, "] %63s %*s %llx", found, &value) == 2 && !strcmp(found, name))
			address = value;
	}
	pclose(sections);
	return address;
}

/* The stubs are made by lld, with and without instructions that protect jumps (BTI, PAC). */
static void stubs_of_arm64_have_names(void **state)
{
	static const char *const options[] = {
		"",
		"-fPIE -pie",
		"-mbranch-protection=standard -Wl,-z,force-bti",
		"-mbranch-protection=standard -Wl,-z,pac-plt",
	};
	static const char compile[] = "-x c --target=aarch64-linux-gnu -nostdlib -fuse-ld=lld -O1";
	char dir[] = "/tmp/pstat-plt-XXXXXX", command[2048], path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "echo '%s' | clang %s -shared -fPIC -o %s/lib.so -",
		 ARM64_LIB, compile, dir);
	run(command);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct symbol_table *table = symbol_table__new();
		const struct symbol *chosen;
		uint64_t ifunc;

		snprintf(path, sizeof(path), "%s/program", dir);
		snprintf(command, sizeof(command),
			 "echo '%s' | clang %s %s -o %s - -x none %s/lib.so", ARM64_PROGRAM,
			 compile, options[i], path, dir);
		run(command);
		assert_int_equal(compare_stubs(table, "llvm-objdump", path, 16), 3);
		/* objdump gives no name to this stub, which may begin with a BTI instruction. */
		ifunc = section_address(path, ".iplt");
		assert_true(ifunc);
		chosen = symbol_table__find(table, ifunc);
		assert_non_null(chosen);
		assert_memory_equal(chosen->name, "*ABS*+0x", 8);
		assert_int_equal(chosen->address, ifunc);
		symbol_table__free(table);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	run(command);
}

static void if_two_symbols_share_an_address_the_one_of_higher_rank_is_used(void **state)
{
	struct symbol_table *table = symbol_table__new();

	(void)state;
	add(table, 0x1000, 8, "a_weak_alias", 1);
	add(table, 0x1000, 8, "global", 2);
	add(table, 0x1000, 8, "local", 0);
	add(table, 0x2000, 0, "a_label", 0);
	add(table, 0x2000, 8, "b_function", 0);
	expect(table, 0x1001, "global");
	expect(table, 0x2001, "b_function");
	symbol_table__free(table);
}

static void symbols_that_are_added_after_a_search_are_found(void **state)
{
	struct symbol_table *table = symbol_table__new();
	char name[16];

	(void)state;
	expect(table, 0x1000, NULL);
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add(table, 0x1000 + i * 16, 16, name, 0);
		if (i % 100 == 0)
			expect(table, 0x1000 + i * 16, name);
	}
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		expect(table, 0x1000 + i * 16 + 15, name);
	}
	assert_int_equal(symbol_table__nr(table), 1000);
	symbol_table__free(table);
}

/* Adds @nr symbols of 16 bytes in an irregular order. @nr is a power of two. */
static void add_many(struct symbol_table *table, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t place = i * 0x9e3779b1 % nr;
		char name[32];

		snprintf(name, sizeof(name), "f%llu", (unsigned long long)place);
		add(table, 0x1000 + 16 * place, 16, name, 0);
	}
}

static void expect_many(struct symbol_table *table, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f%llu", (unsigned long long)i);
		expect(table, 0x1000 + 16 * i + i % 16, name);
	}
	assert_int_equal(symbol_table__nr(table), nr);
}

static void many_symbols_in_any_order_are_found(void **state)
{
	struct symbol_table *table = symbol_table__new();

	(void)state;
	add_many(table, 1 << 17);
	/*
	 * A number that is not a multiple of the number of pieces, and two symbols with the same
	 * address in different pieces.
	 */
	add(table, 0x1000, 16, "f", 1);
	expect(table, 0x1000, "f");
	assert_int_equal(symbol_table__nr(table), 1 << 17);
	expect(table, 0x1010, "f1");
	expect(table, 0x1000 + 16 * ((1 << 17) - 1), "f131071");
	symbol_table__free(table);
	table = symbol_table__new();
	add_many(table, 1 << 18);
	expect_many(table, 1 << 18);
	symbol_table__free(table);
}

static void a_signal_ends_the_sorting_and_loses_no_symbol(void **state)
{
	struct symbol_table *table = symbol_table__new();

	(void)state;
	add_many(table, 1 << 18);
	pending_signal__raise();
	/* Depending on the machine, the signal stops the sorting, or comes too late. */
	symbol_table__find(table, 0x1000);
	pending_signal__take();
	expect_many(table, 1 << 18);
	symbol_table__free(table);
	table = symbol_table__new();
	add_many(table, 1 << 18);
	pending_signal__raise();
	pending_signal__wait_until_due();
	expect(table, 0x1000, NULL);
	pending_signal__take();
	expect_many(table, 1 << 18);
	symbol_table__free(table);
}

static void a_file_that_is_not_elf_has_no_symbols(void **state)
{
	struct symbol_table *table = symbol_table__new();

	(void)state;
	assert_int_equal(symbol_table__add_file(table, "/proc/self/comm"), -ENOEXEC);
	assert_int_equal(symbol_table__add_file(table, "/no/such/file"), -ENOENT);
	symbol_table__free(table);
	symbol_table__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbol_reaches_from_its_address_to_the_end_of_its_size),
		cmocka_unit_test(a_symbol_without_a_size_ends_at_the_next),
		cmocka_unit_test(a_symbol_without_a_size_ends_with_its_section),
		cmocka_unit_test(names_can_share_the_same_text),
		cmocka_unit_test(stubs_of_the_plt_have_names),
		cmocka_unit_test(stubs_of_arm64_have_names),
		cmocka_unit_test(if_two_symbols_share_an_address_the_one_of_higher_rank_is_used),
		cmocka_unit_test(symbols_that_are_added_after_a_search_are_found),
		cmocka_unit_test(many_symbols_in_any_order_are_found),
		cmocka_unit_test(a_signal_ends_the_sorting_and_loses_no_symbol),
		cmocka_unit_test(a_file_that_is_not_elf_has_no_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
