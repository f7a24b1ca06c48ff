// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include <errno.h>
#include <unistd.h>

#include "tests/unit/pending-signal.h"
#include "util/base/sysfs.h"
#include "util/machine/symbols/kernel-code.h"
#include "util/machine/symbols/kernel-symbols.h"

static struct fake_tree tree;
static struct sysroots roots = { .procfs = tree.root };

static int make_proc(void **state)
{
	(void)state;
	fake_tree__init(&tree);
	return 0;
}

static int remove_proc(void **state)
{
	(void)state;
	fake_tree__free(&tree);
	return 0;
}

static struct kernel_symbols *symbols_and_code(const char *text, const struct kernel_code *code)
{
	struct kernel_symbols *symbols;

	fake_tree__write(&tree, text, "kallsyms");
	assert_int_equal(kernel_symbols__read(&roots, code, &symbols), 0);
	return symbols;
}

static struct kernel_symbols *symbols_of(const char *text)
{
	return symbols_and_code(text, NULL);
}

static void expect(struct kernel_symbols *symbols, uint64_t address, const char *name,
		   const char *object, uint64_t offset)
{
	struct kernel_symbol found;

	assert_int_equal(kernel_symbols__find(symbols, address, &found), name ? 0 : -ENOENT);
	if (!name)
		return;
	assert_string_equal(found.name, name);
	assert_string_equal(found.object, object);
	assert_int_equal(found.offset, offset);
}

static void functions_are_those_of_the_kernel_of_modules_and_of_bpf_programs(void **state)
{
	struct kernel_symbols *symbols =
		symbols_of("ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000100 t do_it.isra.0\n"
			   "ffffffffc0000000 t xt_match\t[x_tables]\n"
			   "ffffffffc0100000 t bpf_prog_6deef7357e7b4530_hot\t[bpf]");

	(void)state;
	expect(symbols, 0xffffffff81000001, "startup_64", "kernel", 1);
	expect(symbols, 0xffffffff81000120, "do_it.isra.0", "kernel", 0x20);
	expect(symbols, 0xffffffffc0000000, "xt_match", "x_tables", 0);
	expect(symbols, 0xffffffffc0100010, "bpf_prog_6deef7357e7b4530_hot", "bpf", 0x10);
	kernel_symbols__free(symbols);
}

static void data_and_gaps_are_not_functions(void **state)
{
	struct kernel_symbols *symbols = symbols_of("0000000000001000 A cpu_tss_rw\n"
						    "ffffffff81000000 T first\n"
						    "ffffffff81000100 D table\n"
						    "ffffffff81000200 W weak\n"
						    "ffffffff81000200 B bss\n"
						    "no address\n"
						    "ffffffff81000300");

	(void)state;
	expect(symbols, 0x1001, NULL, NULL, 0);
	expect(symbols, 0xffffffff810000ff, "first", "kernel", 0xff);
	expect(symbols, 0xffffffff81000100, NULL, NULL, 0);
	expect(symbols, 0xffffffff81000201, "weak", "kernel", 1);
	expect(symbols, 0xffffffffc0000000, NULL, NULL, 0);
	kernel_symbols__free(symbols);
}

static void hidden_addresses_are_a_separate_error(void **state)
{
	struct kernel_symbols *symbols = (void *)&tree;

	(void)state;
	fake_tree__write(&tree, "0000000000000000 T _text\n0000000000000000 t do_it", "kallsyms");
	assert_int_equal(kernel_symbols__read(&roots, NULL, &symbols), -EACCES);
	assert_null(symbols);
	assert_non_null(strstr(kernel_symbols__strerror(-EACCES), "kptr_restrict"));
}

static void a_missing_file_is_reported(void **state)
{
	static const struct sysroots nowhere = { .procfs = "/no/such" };
	struct kernel_symbols *symbols;

	(void)state;
	assert_int_equal(kernel_symbols__read(&nowhere, NULL, &symbols), -ENOENT);
	kernel_symbols__free(NULL);
}

static void a_bpf_program_ends_at_its_end(void **state)
{
	struct kernel_code *code = kernel_code__new(1000);
	struct kernel_symbols *symbols =
		symbols_and_code("ffffffffc0001000 t bpf_prog_0000000000000001_listed\t[bpf]\n"
				 "ffffffffc0008000 t bpf_trampoline_7\t[bpf]",
				 code);

	(void)state;
	/* The lengths are not known. */
	expect(symbols, 0xffffffffc0003000, "bpf_prog_0000000000000001_listed", "bpf", 0x2000);
	assert_int_equal(kernel_code__add_length(code, 0xffffffffc0001000, 0x1800), 0);
	kernel_code__set_complete(code);
	expect(symbols, 0xffffffffc00027ff, "bpf_prog_0000000000000001_listed", "bpf", 0x17ff);
	expect(symbols, 0xffffffffc0002800, NULL, NULL, 0);
	expect(symbols, 0xffffffffc0008fff, "bpf_trampoline_7", "bpf", 0xfff);
	expect(symbols, 0xffffffffc0009000 + (uint64_t)sysconf(_SC_PAGESIZE), NULL, NULL, 0);
	/* A program that was unloaded. */
	assert_int_equal(kernel_code__unload(code, 0xffffffffc0002900, 0x100,
					     "bpf_prog_0000000000000002_gone", 2000),
			 0);
	expect(symbols, 0xffffffffc0002910, "bpf_prog_0000000000000002_gone", "bpf", 0x10);
	expect(symbols, 0xffffffffc0002a00, NULL, NULL, 0);
	kernel_symbols__free(symbols);
	kernel_code__free(code);
}

static const char *name_at(const struct kernel_code *code, uint64_t address)
{
	const struct kernel_code_range *range = kernel_code__find(code, address);

	return !range ? "-" : range->name ?: "?";
}

static void load(struct kernel_code *code, uint64_t start, const char *name, uint64_t from,
		 uint64_t until)
{
	assert_int_equal(kernel_code__load(code, start, 0x100, name, from), 0);
	if (until)
		assert_int_equal(kernel_code__unload(code, start, 0x100, name, until), 0);
}

static void of_two_programs_at_one_address_the_one_that_was_loaded_longer_is_found(void **state)
{
	struct kernel_code *code = kernel_code__new(1000);

	(void)state;
	load(code, 0x3000, "third", 1000, 0);
	load(code, 0x1000, "first", 1000, 1500);
	load(code, 0x1100, "second", 1000, 1100);
	assert_int_equal(kernel_code__add_length(code, 0x10ff, 1), 0);
	assert_string_equal(name_at(code, 0x10ff), "first");
	assert_string_equal(name_at(code, 0x1100), "second");
	assert_string_equal(name_at(code, 0xfff), "-");
	assert_string_equal(name_at(code, 0x1200), "-");
	/*
	 * This program was loaded for longer than the second one, and for a shorter time than the
	 * first one. Addresses after the checked range belong to no program.
	 */
	load(code, 0x1080, "later", 1500, 1900);
	load(code, 0x1080, "last", 2000, 0);
	kernel_code__set_now(code, 2000);
	assert_string_equal(name_at(code, 0x1080), "first");
	assert_string_equal(name_at(code, 0x1100), "later");
	kernel_code__set_now(code, 3000);
	assert_string_equal(name_at(code, 0x1080), "last");
	/* the first program is loaded again */
	load(code, 0x1000, "first", 3000, 4000);
	kernel_code__set_now(code, 4000);
	assert_string_equal(name_at(code, 0x1080), "first");
	assert_string_equal(name_at(code, 0x1000), "first");
	assert_int_equal(kernel_code__add_length(code, 0x2000, 0x10), 0);
	assert_string_equal(name_at(code, 0x200f), "?");
	assert_string_equal(name_at(code, 0x30ff), "third");
	/*
	 * a program that was loaded before the records began; a record reports that it was unloaded
	 */
	assert_int_equal(kernel_code__unload(code, 0x2000, 0x10, "known", 5000), 0);
	assert_string_equal(name_at(code, 0x200f), "known");
	kernel_code__free(code);
	kernel_code__free(NULL);
}

static void a_signal_ends_the_reading(void **state)
{
	struct kernel_symbols *symbols;

	(void)state;
	fake_tree__write(&tree, "ffffffff81000000 T startup_64\n", "kallsyms");
	pending_signal__raise();
	pending_signal__wait_until_due();
	assert_int_equal(kernel_symbols__read(&roots, NULL, &symbols), -EINTR);
	assert_null(symbols);
	pending_signal__take();
	assert_int_equal(kernel_symbols__read(&roots, NULL, &symbols), 0);
	kernel_symbols__free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_those_of_the_kernel_of_modules_and_of_bpf_programs),
		cmocka_unit_test(data_and_gaps_are_not_functions),
		cmocka_unit_test(a_bpf_program_ends_at_its_end),
		cmocka_unit_test(
			of_two_programs_at_one_address_the_one_that_was_loaded_longer_is_found),
		cmocka_unit_test(hidden_addresses_are_a_separate_error),
		cmocka_unit_test(a_missing_file_is_reported),
		cmocka_unit_test(a_signal_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, make_proc, remove_proc);
}
