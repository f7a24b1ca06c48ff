// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-refused.h"

#include <stdbool.h>
#include <unistd.h>

#include "util/machine/scope/x86-length.h"
#include "util/machine/symbols/elf-file.h"

#define MOST_BYTES 15 /* the maximum length of an instruction */

/*
 * Returns whether the kernel refuses to probe instructions with the opcode @opcode. It refuses I/O,
 * interrupts, hlt, cli, sti, and opcodes that are invalid in 64-bit mode. It uses the same list for
 * vector instructions (VEX, EVEX), although their opcodes have other meanings. So the kernel also
 * refuses vmovd (6e) and vpxor (ef).
 */
static bool is_refused_opcode(uint8_t opcode)
{
	switch (opcode) {
	case 0x06 ... 0x07:
	case 0x0e:
	case 0x16 ... 0x17:
	case 0x1e ... 0x1f:
	case 0x27:
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0x60 ... 0x62:
	case 0x6c ... 0x6f:
	case 0x82:
	case 0x9a:
	case 0xcc ... 0xcf:
	case 0xd4 ... 0xd6:
	case 0xe4 ... 0xe7:
	case 0xea:
	case 0xec ... 0xef:
	case 0xf1:
	case 0xf4:
	case 0xfa ... 0xfb:
		return true;
	default:
		return false;
	}
}

/*
 * Returns whether the kernel mistakes a vector instruction with the opcode @opcode for a different
 * instruction, and therefore executes it incorrectly. The kernel mistakes vpcmpeqb (74) and
 * vpbroadcastb (7a) for conditional jumps, vpor (eb) for a jump, vcmpps (c2) for a return, and
 * other vector instructions for nop, call or popf (arch/x86/kernel/uprobes.c:
 * arch_uprobe_analyze_insn).
 */
static bool is_misunderstood(uint8_t opcode)
{
	switch (opcode) {
	case 0x70 ... 0x7f:
	case 0x90:
	case 0x9d:
	case 0xc2 ... 0xc3:
	case 0xca ... 0xcb:
	case 0xe8 ... 0xe9:
	case 0xeb:
	case 0xff:
		return true;
	default:
		return false;
	}
}

/*
 * Returns the number of bytes in the VEX or EVEX prefix that begins with @byte, or 0 if @byte does
 * not begin such a prefix.
 */
static size_t vector_prefix(uint8_t byte)
{
	return byte == 0xc5 ? 2 : byte == 0xc4 ? 3 : byte == 0x62 ? 4 : 0;
}

static bool is_refused(const uint8_t *code, size_t size)
{
	size_t vector;

	for (size_t at = 0; at < size; at++) {
		switch (code[at]) {
		/* lock, cs, ss, ds, es */
		case 0xf0:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x26:
			return true;
		/* other prefixes */
		case 0x40 ... 0x4f:
		case 0x66:
		case 0x67:
		case 0xf2:
		case 0xf3:
		case 0x64:
		case 0x65:
			continue;
		default:
			vector = vector_prefix(code[at]);
			at += vector;
			return at < size && (is_refused_opcode(code[at]) ||
					     (vector && is_misunderstood(code[at])));
		}
	}
	return false;
}

size_t scope_refused__length(const struct elf_file *file, uint64_t offset)
{
	uint8_t code[MOST_BYTES];
	bool is_return;
	ssize_t size;

	if (file->header.e_machine != EM_X86_64)
		return 0;
	size = pread(file->fd, code, sizeof(code), (off_t)offset);
	if (size <= 0 || !is_refused(code, (size_t)size))
		return 0;
	/* if the bytes are not an instruction, the length is unknown */
	return x86_length__of(code, (size_t)size, &is_return) ?: 1;
}
