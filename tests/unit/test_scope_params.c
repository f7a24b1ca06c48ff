// SPDX-License-Identifier: GPL-2.0-only
/* The parameters of a session replace numbers in the instructions of its programs. */
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/count/scope/scope-params.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* instructions, as in RFC 9669 */
#define LOAD(reg, number)               \
	{                               \
		0xb7, reg, 0, 0, number \
	} /* r = number */
#define ADD(reg, number)                \
	{                               \
		0x07, reg, 0, 0, number \
	} /* r += number */
#define MULTIPLY(reg, number)           \
	{                               \
		0x27, reg, 0, 0, number \
	} /* r *= number */
#define IF_ZERO(reg, offset)            \
	{                               \
		0x15, reg, 0, offset, 0 \
	} /* if r == 0 goto offset */
#define GOTO(offset)                  \
	{                             \
		0x05, 0, 0, offset, 0 \
	}
#define EXIT                     \
	{                        \
		0x95, 0, 0, 0, 0 \
	}

static void replace(struct bpf_insn *insns, size_t nr, int expected)
{
	uint32_t params[SCOPE_NR_PARAMS] = { [SCOPE_PARAM_ROW] = 40, [SCOPE_PARAM_HIST] = 1 };

	assert_int_equal(scope_params__replace(insns, nr, params), expected);
}

static void operands_become_the_values_of_parameters(void **state)
{
	struct bpf_insn insns[] = {
		LOAD(1, SCOPE_PARAM(SCOPE_PARAM_ROW)),
		ADD(2, SCOPE_PARAM(SCOPE_PARAM_ROW)),
		MULTIPLY(3, SCOPE_PARAM(SCOPE_PARAM_DEPTH)),
		EXIT,
	};
	const struct bpf_insn expected[] = { LOAD(1, 40), ADD(2, 40), MULTIPLY(3, 0), EXIT };

	(void)state;
	replace(insns, NR(insns), 3);
	assert_memory_equal(insns, expected, sizeof(insns));
}

static void other_numbers_stay(void **state)
{
	struct bpf_insn insns[] = {
		LOAD(1, SCOPE_PARAM(0) - 1),
		LOAD(1, SCOPE_PARAM(SCOPE_NR_PARAMS)),
		/* operands of 32 bits, a call, and the two halves of a number of 64 bits */
		{ 0xb4, 1, 0, 0, SCOPE_PARAM(0) },
		{ 0x85, 0, 0, 0, SCOPE_PARAM(0) },
		{ 0x18, 1, 0, 0, SCOPE_PARAM(0) },
		{ 0, 0, 0, 0, SCOPE_PARAM(0) },
		EXIT,
	};
	struct bpf_insn before[NR(insns)];

	(void)state;
	memcpy(before, insns, sizeof(insns));
	replace(insns, NR(insns), 0);
	assert_memory_equal(insns, before, sizeof(insns));
}

static void a_jump_that_is_never_taken_is_removed(void **state)
{
	struct bpf_insn insns[] = {
		LOAD(5, SCOPE_PARAM_JUMP(SCOPE_PARAM_HIST)),
		IF_ZERO(5, 1),
		ADD(1, 1),
		EXIT,
	};
	const struct bpf_insn expected[] = { GOTO(0), GOTO(0), ADD(1, 1), EXIT };

	(void)state;
	replace(insns, NR(insns), 1);
	assert_memory_equal(insns, expected, sizeof(insns));
}

static void a_jump_that_is_taken_stays(void **state)
{
	struct bpf_insn insns[] = {
		LOAD(5, SCOPE_PARAM_JUMP(SCOPE_PARAM_BRANCHES)),
		IF_ZERO(5, 1),
		ADD(1, 1),
		EXIT,
	};
	const struct bpf_insn expected[] = { LOAD(5, 0), IF_ZERO(5, 1), ADD(1, 1), EXIT };

	(void)state;
	replace(insns, NR(insns), 1);
	assert_memory_equal(insns, expected, sizeof(insns));
}

/* The verifier refuses instructions that no path reaches, even if they would never be executed. */
static void a_jump_stays_if_nothing_else_leads_to_its_target(void **state)
{
	struct bpf_insn insns[] = {
		LOAD(5, SCOPE_PARAM_JUMP(SCOPE_PARAM_HIST)),
		IF_ZERO(5, 2),
		ADD(1, 1),
		EXIT,
		ADD(1, 2),
		EXIT,
	};
	const struct bpf_insn expected[] = {
		LOAD(5, 1), IF_ZERO(5, 2), ADD(1, 1), EXIT, ADD(1, 2), EXIT,
	};

	(void)state;
	replace(insns, NR(insns), 1);
	assert_memory_equal(insns, expected, sizeof(insns));
}

/* If two jumps lead to the same place, one of them must stay. */
static void the_last_jump_to_a_place_stays(void **state)
{
	struct bpf_insn insns[] = {
		LOAD(5, SCOPE_PARAM_JUMP(SCOPE_PARAM_HIST)),
		IF_ZERO(5, 3),
		LOAD(5, SCOPE_PARAM_JUMP(SCOPE_PARAM_HIST)),
		IF_ZERO(5, 1),
		EXIT,
		ADD(1, 2),
		EXIT,
	};
	const struct bpf_insn expected[] = {
		GOTO(0), GOTO(0), LOAD(5, 1), IF_ZERO(5, 1), EXIT, ADD(1, 2), EXIT,
	};

	(void)state;
	replace(insns, NR(insns), 1 + 1);
	assert_memory_equal(insns, expected, sizeof(insns));
}

static void the_clocks_are_the_last_words_of_a_row(void **state)
{
	const struct scope_words words = {
		.plain = 2, .timed = 1, .clock = 1, .switches = 1, .wall = 1, .words = 8
	};
	uint32_t params[SCOPE_NR_PARAMS] = { 0 };

	(void)state;
	scope_params__set_words(params, &words, 4, 16);
	assert_int_equal(params[SCOPE_PARAM_ROW], 8 * 8);
	/* rows are in pairs, so a word is two words away from the next one */
	assert_int_equal(params[SCOPE_PARAM_CLOCK_AT], (2 + 3) * 16);
	assert_int_equal(params[SCOPE_PARAM_SWITCHES_AT], (2 + 3 + 1) * 16);
	assert_int_equal(params[SCOPE_PARAM_WALL_AT], (2 + 3 + 1 + 1) * 16);
	assert_int_equal(params[SCOPE_PARAM_RECORD_AT], (1 + 16) * 2 * 8 * 8);
	assert_int_equal(params[SCOPE_PARAM_KEY + 1], 4);
	assert_int_equal(params[SCOPE_PARAM_EVENT + 1], 1);
	assert_int_equal(params[SCOPE_PARAM_EVENT + 2], 0);
	assert_int_equal(params[SCOPE_PARAM_SHORT], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_become_the_values_of_parameters),
		cmocka_unit_test(other_numbers_stay),
		cmocka_unit_test(a_jump_that_is_never_taken_is_removed),
		cmocka_unit_test(a_jump_that_is_taken_stays),
		cmocka_unit_test(a_jump_stays_if_nothing_else_leads_to_its_target),
		cmocka_unit_test(the_last_jump_to_a_place_stays),
		cmocka_unit_test(the_clocks_are_the_last_words_of_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
