// SPDX-License-Identifier: GPL-2.0-only
/* Looks up the inlined functions and their lines at labelled instructions of this program. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/dwarf-lines.h"

extern const char at_inner[], at_middle[], at_outer[];

/* The lines of the three labels and of the two calls. */
enum {
	FIRST = __LINE__,
	INNER = FIRST + 9,
	CALL_OF_INNER = FIRST + 14,
	MIDDLE = FIRST + 15,
	CALL_OF_MIDDLE = FIRST + 20,
	OUTER = FIRST + 21,
};
static inline __attribute__((always_inline)) void inner(void)
{
	__asm__ volatile("at_inner: nop"); /* INNER */
}

static inline __attribute__((always_inline)) void middle(void)
{
	inner(); /* CALL_OF_INNER */
	__asm__ volatile("at_middle: nop");
}

static void __attribute__((noinline)) outer(void)
{
	middle(); /* CALL_OF_MIDDLE */
	__asm__ volatile("at_outer: nop");
}

static int set_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1; /* the first object is the program */
}

static struct dwarf_lines *open_own(void **state)
{
	struct build_id id = { .len = 0 };
	struct dwarf_files files;
	struct dwarf_lines *lines;

	(void)state;
	outer();
	dwarf_files__open(&files, open("/proc/self/exe", O_RDONLY | O_CLOEXEC), &id, "");
	assert_int_equal(dwarf_lines__open(&files, &lines), 0);
	return lines;
}

static int find(struct dwarf_lines *lines, const char *label, unsigned int what,
		struct source_frame *frames)
{
	uint64_t base = 0;

	dl_iterate_phdr(set_base, &base);
	return dwarf_lines__find(lines, (uint64_t)(uintptr_t)label - base, what, frames);
}

static void expect_frame(const struct source_frame *frame, const char *function, int line)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;

	if (function)
		assert_string_equal(frame->function, function);
	else
		assert_null(frame->function);
	assert_int_equal(frame->line, line);
	if (line)
		assert_string_equal(slash ? slash + 1 : frame->file, "test_dwarf_inline.c");
	else
		assert_null(frame->file);
}

static void frames_are_the_inlined_functions_and_the_lines_that_call_them(void **state)
{
	struct dwarf_lines *lines = open_own(state);
	struct source_frame frames[SOURCE_MOST_FRAMES];

	assert_int_equal(find(lines, at_inner, SOURCE_LINES | SOURCE_INLINED, frames), 3);
	expect_frame(&frames[0], "inner", INNER);
	expect_frame(&frames[1], "middle", CALL_OF_INNER);
	expect_frame(&frames[2], NULL, CALL_OF_MIDDLE);
	assert_int_equal(find(lines, at_middle, SOURCE_LINES | SOURCE_INLINED, frames), 2);
	expect_frame(&frames[0], "middle", MIDDLE);
	expect_frame(&frames[1], NULL, CALL_OF_MIDDLE);
	assert_int_equal(find(lines, at_outer, SOURCE_LINES | SOURCE_INLINED, frames), 1);
	expect_frame(&frames[0], NULL, OUTER);
	assert_false(dwarf_lines__is_cut(lines));
	dwarf_lines__free(lines);
}

static void only_what_is_wanted_is_found(void **state)
{
	struct dwarf_lines *lines = open_own(state);
	struct source_frame frames[SOURCE_MOST_FRAMES];

	assert_int_equal(find(lines, at_middle, SOURCE_LINES, frames), 1);
	expect_frame(&frames[0], NULL, MIDDLE);
	assert_int_equal(find(lines, at_middle, SOURCE_INLINED, frames), 2);
	expect_frame(&frames[0], "middle", 0);
	expect_frame(&frames[1], NULL, 0);
	assert_int_equal(find(lines, at_outer, SOURCE_INLINED, frames), -ENOENT);
	dwarf_lines__free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_the_inlined_functions_and_the_lines_that_call_them),
		cmocka_unit_test(only_what_is_wanted_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
