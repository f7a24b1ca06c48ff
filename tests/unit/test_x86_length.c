// SPDX-License-Identifier: GPL-2.0-only
/* The lengths of instructions, compared with those of objdump(1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/machine/scope/x86-length.h"

static void instructions_of_each_form_have_their_length(void **state)
{
	/* assembled by GNU as */
	static const struct {
		uint8_t code[16];
		size_t length;
		bool returns;
	} rows[] = {
		{ { 0xc3 }, 1, true },					     /* ret */
		{ { 0xf3, 0xc3 }, 2, true },				     /* rep ret */
		{ { 0xc2, 0x08, 0x00 }, 3, true },			     /* ret $8 */
		{ { 0xcb }, 1, false },					     /* lret */
		{ { 0xcf }, 1, false },					     /* iret */
		{ { 0x90 }, 1, false },					     /* nop */
		{ { 0x48, 0x89, 0xe5 }, 3, false },			     /* mov %rsp,%rbp */
		{ { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 }, 10, false },	     /* movabs */
		{ { 0x66, 0xb8, 1, 2 }, 4, false },			     /* mov $,%ax */
		{ { 0x48, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8 }, 10, false },	     /* movabs addr,%rax */
		{ { 0x8b, 0x44, 0x24, 0x08 }, 4, false },		     /* mov 8(%rsp),%eax */
		{ { 0x8b, 0x04, 0x25, 1, 2, 3, 4 }, 7, false },		     /* mov abs32,%eax */
		{ { 0x8b, 0x05, 1, 2, 3, 4 }, 6, false },		     /* mov x(%rip),%eax */
		{ { 0x81, 0x84, 0x24, 1, 2, 3, 4, 5, 6, 7, 8 }, 11, false }, /* addl */
		{ { 0x66, 0x81, 0xc1, 1, 2 }, 5, false },		     /* add $,%cx */
		{ { 0xf7, 0xc7, 1, 2, 3, 4 }, 6, false },		     /* test $,%edi */
		{ { 0xf7, 0xd8 }, 2, false },				     /* neg %eax */
		{ { 0xf6, 0x47, 8, 1 }, 4, false },			     /* testb $1,8(%rdi) */
		{ { 0xe8, 1, 2, 3, 4 }, 5, false },			     /* call */
		{ { 0x0f, 0x84, 1, 2, 3, 4 }, 6, false },		     /* je */
		{ { 0xeb, 1 }, 2, false },				     /* jmp */
		{ { 0xf3, 0x0f, 0x1e, 0xfa }, 4, false },		     /* endbr64 */
		{ { 0x66, 0x0f, 0x3a, 0x0f, 0xc1, 8 }, 6, false },	     /* palignr */
		{ { 0xc5, 0xf8, 0x77 }, 3, false },			     /* vzeroupper */
		{ { 0xc5, 0xf9, 0x70, 0xc1, 1 }, 5, false },		     /* vpshufd */
		{ { 0xc4, 0xe2, 0x7d, 0x18, 0x07 }, 5, false },		     /* vbroadcastss */
		{ { 0xc4, 0xe3, 0x75, 0x38, 0xc2, 1 }, 6, false },	     /* vinserti128 */
		{ { 0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07 }, 6, false },	 /* vmovups (%rdi),%zmm0 */
		{ { 0x62, 0xf3, 0x75, 0x48, 0x25, 0xc2, 1 }, 7, false }, /* vpternlogd */
		{ { 0xc8, 0x10, 0x00, 0x00 }, 4, false },		 /* enter */
		{ { 0x0f, 0x05 }, 2, false },				 /* syscall */
		{ { 0x06 }, 0, false },	      /* push %es: not in 64-bit mode */
		{ { 0x0f, 0x04 }, 0, false }, /* unknown */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool returns;
		size_t length = x86_length__of(rows[i].code, sizeof(rows[i].code), &returns);

		if (length != rows[i].length || (length && returns != rows[i].returns))
			fail_msg("row %zu: length %zu, returns %d", i, length, returns);
		/* A truncated instruction must not be accepted. */
		for (size_t size = 0; size < rows[i].length; size++)
			assert_int_equal(x86_length__of(rows[i].code, size, &returns), 0);
	}
}

/* Reads the bytes of a line "  401000:\tf3 0f 1e fa \tendbr64". Returns their number. */
static size_t parse_line(const char *line, uint8_t *code, size_t size, const char **name)
{
	const char *at = strchr(line, ':');
	size_t nr = 0;

	if (!at || *line != ' ')
		return 0;
	for (at += 1 + strspn(at + 1, " \t"); nr < size; at += 3) {
		if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]) ||
		    at[2] != ' ')
			break;
		code[nr++] = (uint8_t)strtoul(at, NULL, 16);
	}
	*name = strchr(at, '\t') ? strchr(at, '\t') + 1 : "";
	return nr;
}

static void compare_with_objdump(const char *file, long least)
{
	char command[256], line[512];
	const char *name;
	long nr = 0;
	FILE *lines;

	snprintf(command, sizeof(command), "objdump -d -w %s", file);
	lines = popen(command, "r");
	assert_non_null(lines);
	while (fgets(line, sizeof(line), lines)) {
		uint8_t code[32];
		bool returns;
		size_t length = parse_line(line, code, sizeof(code), &name);

		/* objdump shows fwait and the next instruction as one. */
		if (!length || strstr(name, "(bad)") || code[0] == 0x9b)
			continue;
		if (x86_length__of(code, length, &returns) != length)
			fail_msg("%s", line);
		if (returns != (strstr(name, "ret") == name || strstr(name, "repz ret") == name))
			fail_msg("%s", line);
		nr++;
	}
	assert_int_equal(pclose(lines), 0);
	assert_true(nr >= least);
}

static void each_instruction_of_a_library_has_the_length_that_objdump_says(void **state)
{
	(void)state;
#ifdef __x86_64__
	char own[32];

	if (system("objdump --version >/dev/null 2>&1"))
		skip();
	/* In objdump, /proc/self would be another process. */
	snprintf(own, sizeof(own), "/proc/%d/exe", getpid());
	compare_with_objdump(own, 100);
	if (!access("/lib/x86_64-linux-gnu/libm.so.6", R_OK))
		compare_with_objdump("/lib/x86_64-linux-gnu/libm.so.6", 10000);
#else
	(void)compare_with_objdump;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_of_each_form_have_their_length),
		cmocka_unit_test(each_instruction_of_a_library_has_the_length_that_objdump_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
