// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF instructions as text: the encodings are those of the instruction set's specification (RFC
 * 9669).
 */
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/strbuf.h"
#include "util/machine/bpf/bpf-insn.h"

static const struct {
	struct bpf_insn insn[2];
	uint32_t slots;
	const char *text;
} rows[] = {
	{ { { 0xb7, 0, 0, 0, 7 } }, 1, "r0 = 7" },
	{ { { 0xbf, 1, 6, 0, 0 } }, 1, "r1 = r6" },
	{ { { 0xbc, 1, 6, 0, 0 } }, 1, "w1 = w6" },
	{ { { 0xbf, 1, 6, 8, 0 } }, 1, "r1 = (s8)r6" },
	{ { { 0x07, 10, 0, 0, -8 } }, 1, "r10 += -8" },
	{ { { 0x3f, 1, 2, 1, 0 } }, 1, "r1 s/= r2" },
	{ { { 0x9c, 1, 2, 0, 0 } }, 1, "w1 %= w2" },
	{ { { 0xc7, 1, 0, 0, 3 } }, 1, "r1 s>>= 3" },
	{ { { 0x87, 3, 0, 0, 0 } }, 1, "r3 = -r3" },
	{ { { 0xdc, 3, 0, 0, 16 } }, 1, "r3 = be16 r3" },
	{ { { 0xd7, 3, 0, 0, 32 } }, 1, "r3 = bswap32 r3" },
	{ { { 0x05, 0, 0, -3, 0 } }, 1, "goto -2" },
	{ { { 0x06, 0, 0, 0, 9 } }, 1, "goto 10" },
	{ { { 0x55, 1, 0, 4, 5 } }, 1, "if r1 != 5 goto 5" },
	{ { { 0xce, 1, 2, 4, 0 } }, 1, "if w1 s< w2 goto 5" },
	{ { { 0x85, 0, 0, 0, 181 } }, 1, "call helper 181" },
	{ { { 0x85, 0, 1, 0, 4 } }, 1, "call 5" },
	{ { { 0x85, 0, 2, 0, 77 } }, 1, "call kernel function 77" },
	{ { { 0x95, 0, 0, 0, 0 } }, 1, "exit" },
	{ { { 0x61, 1, 2, 4, 0 } }, 1, "r1 = *(u32 *)(r2 +4)" },
	{ { { 0x99, 1, 2, -4, 0 } }, 1, "r1 = *(s64 *)(r2 -4)" },
	{ { { 0x72, 10, 0, -1, 9 } }, 1, "*(u8 *)(r10 -1) = 9" },
	{ { { 0x7b, 10, 1, -8, 0 } }, 1, "*(u64 *)(r10 -8) = r1" },
	{ { { 0xdb, 1, 2, 0, 0 } }, 1, "lock *(u64 *)(r1 +0) += r2" },
	{ { { 0xc3, 1, 2, 0, 0x51 } }, 1, "fetching lock *(u32 *)(r1 +0) &= r2" },
	{ { { 0xdb, 1, 2, 0, 0xf1 } }, 1, "fetching lock *(u64 *)(r1 +0) cmpxchg r2" },
	{ { { 0x28, 0, 0, 0, 12 } }, 1, "r0 = *(u16 *)packet[12]" },
	{ { { 0x18, 1, 0, 0, 1 }, { 0, 0, 0, 0, 2 } }, 2, "r1 = 0x200000001" },
	{ { { 0x18, 1, 1, 0, 33 }, { 0, 0, 0, 0, 0 } }, 2, "r1 = map 33" },
	{ { { 0x18, 1, 2, 0, 33 }, { 0, 0, 0, 0, 16 } }, 2, "r1 = map 33 value +16" },
	{ { { 0xe7, 0, 0, 0, 0 } }, 1, "0x00000000000000e7" },
};

static void each_form_has_its_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct strbuf text = STRBUF_INIT;

		assert_int_equal(bpf_insn__add_text(rows[i].insn, 0, 2, &text), rows[i].slots);
		assert_string_equal(text.text, rows[i].text);
		strbuf__free(&text);
	}
}

static void a_truncated_wide_constant_is_not_read_beyond_the_end(void **state)
{
	const struct bpf_insn cut = { 0x18, 1, 0, 0, 1 };
	struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_int_equal(bpf_insn__add_text(&cut, 0, 1, &text), 1);
	strbuf__free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_has_its_text),
		cmocka_unit_test(a_truncated_wide_constant_is_not_read_beyond_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
