// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/x86-length.h"

#define LONGEST 15 /* the maximum length of an instruction, in bytes */

/* The bytes that follow an opcode. */
enum operands {
	NONE = 0,
	BAD = 1 << 0,	/* there is no such instruction in 64-bit mode */
	MODRM = 1 << 1, /* ModRM, possibly with SIB and a displacement */
	IMM8 = 1 << 2,
	IMM16 = 1 << 3,
	IMM32 = 1 << 4,	 /* 16 bits with an operand-size prefix, unless REX.W is set */
	IMM64 = 1 << 5,	 /* like IMM32, but 64 bits with REX.W */
	REL32 = 1 << 6,	 /* the 32-bit offset of a jump or call; no prefix changes its size */
	OFFSET = 1 << 7, /* an address, whose size depends on the address-size prefix */
};

struct reader {
	const uint8_t *code;
	size_t size, at;
	bool operand16, address32, wide, repeated; /* prefixes 66, 67, REX.W, F2 */
};

static int next(struct reader *reader)
{
	return reader->at < reader->size ? reader->code[reader->at++] : -1;
}

/*
 * Returns the operands of the one-byte opcode @op. Below 0x40, opcodes with the same lowest three
 * bits have the same operands.
 */
static unsigned int one_byte(uint8_t op)
{
	static const uint8_t rows[8] = { MODRM, MODRM, MODRM, MODRM, IMM8, IMM32, BAD, BAD };
	static const uint8_t from60[16] = { BAD,  BAD,	BAD,   MODRM,	      NONE, NONE,
					    NONE, NONE, IMM32, MODRM | IMM32, IMM8, MODRM | IMM8,
					    NONE, NONE, NONE,  NONE };
	static const uint8_t from80[16] = { MODRM | IMM8, MODRM | IMM32, BAD,	MODRM | IMM8,
					    MODRM,	  MODRM,	 MODRM, MODRM,
					    MODRM,	  MODRM,	 MODRM, MODRM,
					    MODRM,	  MODRM,	 MODRM, MODRM };
	static const uint8_t from_c0[16] = {
		MODRM | IMM8, MODRM | IMM8, IMM16, NONE, BAD,  BAD,  MODRM | IMM8, MODRM | IMM32,
		IMM16 | IMM8, NONE,	    IMM16, NONE, NONE, IMM8, BAD,	   NONE
	};
	static const uint8_t from_e0[16] = { IMM8,  IMM8,  IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
					     REL32, REL32, BAD,	 IMM8, NONE, NONE, NONE, NONE };

	if (op < 0x40)
		return rows[op & 7];
	switch (op >> 4) {
	case 0x6:
		return from60[op & 15];
	case 0x7:
		return IMM8;
	case 0x8:
		return from80[op & 15];
	case 0x9:
		return op == 0x9a ? BAD : NONE;
	case 0xa:
		return op < 0xa4 ? OFFSET : op == 0xa8 ? IMM8 : op == 0xa9 ? IMM32 : NONE;
	case 0xb:
		return op < 0xb8 ? IMM8 : IMM64;
	case 0xc:
		return from_c0[op & 15];
	case 0xd:
		return op == 0xd7 ? NONE : (op & 15) < 4 || op >= 0xd8 ? MODRM : BAD;
	case 0xe:
		return from_e0[op & 15];
	case 0xf:
		return op == 0xf6 || op == 0xf7 || op >= 0xfe ? MODRM : NONE;
	default:
		return NONE; /* 0x50 to 0x5f: push, pop */
	}
}

/*
 * Returns the operands of the opcode @op. If @is_vex is false, @op follows the byte 0F, and must
 * not be 38 or 3A. If @is_vex is true, @op is an opcode in map 1 of VEX or EVEX.
 */
static unsigned int two_bytes(const struct reader *reader, uint8_t op, bool is_vex)
{
	switch (op) {
	case 0x05 ... 0x09:
	case 0x0b:
	case 0x0e:
	case 0x30 ... 0x37:
	case 0x77:
	case 0xa0 ... 0xa2:
	case 0xa8 ... 0xaa:
		return NONE;
	case 0xc8 ... 0xcf:
		return NONE;
	case 0x04:
	case 0x0a:
	case 0x0c:
	case 0x24 ... 0x27:
		return BAD;
	case 0x80 ... 0x8f:
		return is_vex ? BAD : REL32;
	case 0x0f: /* 3DNow! */
	case 0x70 ... 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4 ... 0xc6:
		return MODRM | IMM8;
	case 0x78: /* AMD's EXTRQ and INSERTQ have two 8-bit immediates */
		return !is_vex && (reader->operand16 || reader->repeated) ? MODRM | IMM16 : MODRM;
	default:
		return MODRM;
	}
}

/* Returns the operands of the opcode @op in the opcode map @map of VEX or EVEX. */
static unsigned int in_map(const struct reader *reader, int map, uint8_t op)
{
	switch (map) {
	case 1:
		/*
		 * The instructions with the opcodes 78 to 9F, such as kmov (VEX) and conversions
		 * (EVEX), have only ModRM, but two_bytes() would return BAD for 80 to 8F.
		 */
		if (op >= 0x78 && op <= 0x9f)
			return MODRM;
		return two_bytes(reader, op, true);
	case 2:
	case 5:
	case 6:
		return MODRM;
	case 3:
		return MODRM | IMM8;
	default:
		return BAD;
	}
}

static bool skip(struct reader *reader, size_t bytes)
{
	reader->at += bytes;
	return reader->at <= reader->size;
}

/*
 * Skips ModRM, SIB and the displacement. Sets *@reg to the field of ModRM that can extend the
 * opcode.
 */
static bool skip_modrm(struct reader *reader, int *reg)
{
	int modrm = next(reader), sib = 0;
	int mod = modrm >> 6, rm = modrm & 7;

	if (modrm < 0)
		return false;
	*reg = modrm >> 3 & 7;
	if (mod == 3)
		return true;
	if (rm == 4)
		sib = next(reader);
	if (sib < 0)
		return false;
	if (mod == 0)
		return (rm == 5 || (rm == 4 && (sib & 7) == 5)) ? skip(reader, 4) : true;
	return skip(reader, mod == 1 ? 1 : 4);
}

static bool skip_operands(struct reader *reader, unsigned int operands, bool is_test, bool is_byte)
{
	int reg = 0;

	if (operands & BAD)
		return false;
	if ((operands & MODRM) && !skip_modrm(reader, &reg))
		return false;
	/* among the instructions with the opcodes F6 and F7, only TEST has an immediate operand */
	if (is_test && reg < 2)
		operands |= is_byte ? IMM8 : IMM32;
	if ((operands & IMM8) && !skip(reader, 1))
		return false;
	if ((operands & IMM16) && !skip(reader, 2))
		return false;
	if ((operands & IMM32) && !skip(reader, reader->operand16 && !reader->wide ? 2 : 4))
		return false;
	if ((operands & REL32) && !skip(reader, 4))
		return false;
	if ((operands & IMM64) && !skip(reader, reader->wide ? 8 : reader->operand16 ? 2 : 4))
		return false;
	return !(operands & OFFSET) || skip(reader, reader->address32 ? 4 : 8);
}

/* Skips the prefixes, and returns the first byte after them (-1: there is none). */
static int skip_prefixes(struct reader *reader)
{
	for (;;) {
		int byte = next(reader);

		switch (byte) {
		case 0x66:
			reader->operand16 = true;
			continue;
		case 0x67:
			reader->address32 = true;
			continue;
		case 0xf2:
			reader->repeated = true;
			continue;
		case 0xf3:
		case 0xf0:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x26:
		case 0x64:
		case 0x65:
			continue;
		case 0x40 ... 0x4f:
			reader->wide = byte & 8;
			/*
			 * the byte after REX is the opcode: compilers never generate another prefix
			 * after REX
			 */
			return next(reader);
		default:
			return byte;
		}
	}
}

/*
 * Skips the rest of an instruction with a VEX or EVEX prefix. @op is the first byte of the prefix:
 * C5 or C4 (VEX), or 62 (EVEX).
 */
static bool skip_vex(struct reader *reader, int op)
{
	int first = next(reader), map = 1, code;

	if (first < 0)
		return false;
	if (op == 0xc4)
		map = first & 31;
	else if (op == 0x62)
		map = first & 7;
	if (!skip(reader, op == 0xc5 ? 0 : op == 0xc4 ? 1 : 2))
		return false;
	code = next(reader);
	return code >= 0 && skip_operands(reader, in_map(reader, map, (uint8_t)code), false, false);
}

static bool skip_0f(struct reader *reader)
{
	int op = next(reader);

	if (op < 0)
		return false;
	if (op != 0x38 && op != 0x3a)
		return skip_operands(reader, two_bytes(reader, (uint8_t)op, false), false, false);
	return next(reader) >= 0 &&
	       skip_operands(reader, op == 0x3a ? MODRM | IMM8 : MODRM, false, false);
}

size_t x86_length__of(const uint8_t *code, size_t size, bool *returns)
{
	struct reader reader = { .code = code, .size = size < LONGEST ? size : LONGEST };
	int op = skip_prefixes(&reader);
	bool is_known;

	*returns = op == 0xc3 || op == 0xc2;
	if (op < 0)
		return 0;
	if (op == 0x0f)
		is_known = skip_0f(&reader);
	else if (op == 0xc4 || op == 0xc5 || op == 0x62)
		is_known = skip_vex(&reader, op);
	else
		is_known = skip_operands(&reader, one_byte((uint8_t)op), op == 0xf6 || op == 0xf7,
					 op == 0xf6);
	return is_known ? reader.at : 0;
}
