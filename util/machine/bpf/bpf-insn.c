// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-insn.h"

#include <inttypes.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>

#include "util/base/strbuf.h"

/* Modes of loads (BPF_MODE()) that the headers of some distributions do not define. */
#define MODE_SIGNED 0x80 /* BPF_MEMSX */
/* BPF_PROBE_MEMSX, which the verifier uses for sign-extending loads that may fault */
#define MODE_PROBE_SIGNED 0x40

#define OP_OF(code) ((code) >> 4 & 0xf)

static const char *const alu_ops[16] = { "+=",	"-=", "*=", "/=", "|=", "&=",	"<<=",
					 ">>=", NULL, "%=", "^=", "=",	"s>>=", NULL };
static const char *const jump_ops[16] = { NULL,	 "==", ">",  ">=", "&",	 "!=", "s>",
					  "s>=", NULL, NULL, "<",  "<=", "s<", "s<=" };
static const char *const sizes[4] = { "32", "16", "8", "64" };

static const char *size_of(__u8 code)
{
	return sizes[code >> 3 & 3];
}

static bool add_alu(const struct bpf_insn *insn, struct strbuf *sb)
{
	char reg = BPF_CLASS(insn->code) == BPF_ALU64 ? 'r' : 'w';
	const char *op = alu_ops[OP_OF(insn->code)];
	bool by_register = BPF_SRC(insn->code) == BPF_X;

	if (BPF_OP(insn->code) == BPF_NEG) {
		strbuf__addf(sb, "%c%d = -%c%d", reg, insn->dst_reg, reg, insn->dst_reg);
		return true;
	}
	if (BPF_OP(insn->code) == BPF_END) {
		strbuf__addf(sb, "r%d = %s%d r%d", insn->dst_reg,
			     reg == 'r'	 ? "bswap" :
			     by_register ? "be" :
					   "le",
			     insn->imm, insn->dst_reg);
		return true;
	}
	if (!op)
		return false;
	strbuf__addf(sb, "%c%d ", reg, insn->dst_reg);
	/* a signed division or modulo */
	if (insn->off == 1 && (BPF_OP(insn->code) == BPF_DIV || BPF_OP(insn->code) == BPF_MOD))
		strbuf__addc(sb, 's');
	strbuf__adds(sb, op);
	if (!by_register)
		strbuf__addf(sb, " %d", insn->imm);
	else if (insn->off && BPF_OP(insn->code) == BPF_MOV)
		strbuf__addf(sb, " (s%d)%c%d", insn->off, reg, insn->src_reg);
	else
		strbuf__addf(sb, " %c%d", reg, insn->src_reg);
	return true;
}

static void add_call(const struct bpf_insn *insn, uint32_t nr, struct strbuf *sb)
{
	if (insn->src_reg == BPF_PSEUDO_CALL)
		strbuf__addf(sb, "call %" PRId64, (int64_t)nr + 1 + insn->imm);
	else if (insn->src_reg == BPF_PSEUDO_KFUNC_CALL)
		strbuf__addf(sb, "call kernel function %d", insn->imm);
	else
		strbuf__addf(sb, "call helper %d", insn->imm);
}

static bool add_jump(const struct bpf_insn *insn, uint32_t nr, struct strbuf *sb)
{
	bool wide = BPF_CLASS(insn->code) == BPF_JMP;
	const char *op = jump_ops[OP_OF(insn->code)];
	char reg = wide ? 'r' : 'w';

	if (BPF_OP(insn->code) == BPF_EXIT) {
		strbuf__adds(sb, "exit");
	} else if (BPF_OP(insn->code) == BPF_CALL) {
		add_call(insn, nr, sb);
	} else if (BPF_OP(insn->code) == BPF_JA) {
		strbuf__addf(sb, "goto %" PRId64, (int64_t)nr + 1 + (wide ? insn->off : insn->imm));
	} else if (op) {
		strbuf__addf(sb, "if %c%d %s ", reg, insn->dst_reg, op);
		if (BPF_SRC(insn->code) == BPF_X)
			strbuf__addf(sb, "%c%d", reg, insn->src_reg);
		else
			strbuf__addf(sb, "%d", insn->imm);
		strbuf__addf(sb, " goto %" PRId64, (int64_t)nr + 1 + insn->off);
	} else {
		return false;
	}
	return true;
}

static bool add_atomic(const struct bpf_insn *insn, struct strbuf *sb)
{
	const char *op = insn->imm == BPF_XCHG	  ? "xchg" :
			 insn->imm == BPF_CMPXCHG ? "cmpxchg" :
						    NULL;
	bool fetches = insn->imm & BPF_FETCH;

	if (!op)
		op = alu_ops[insn->imm >> 4 & 0xf];
	if (!op)
		return false;
	strbuf__addf(sb, "%slock *(u%s *)(r%d %+d) %s r%d", fetches ? "fetching " : "",
		     size_of(insn->code), insn->dst_reg, insn->off, op, insn->src_reg);
	return true;
}

static bool add_store(const struct bpf_insn *insn, struct strbuf *sb)
{
	if (BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC)
		return add_atomic(insn, sb);
	strbuf__addf(sb, "*(u%s *)(r%d %+d) = ", size_of(insn->code), insn->dst_reg, insn->off);
	if (BPF_CLASS(insn->code) == BPF_STX)
		strbuf__addf(sb, "r%d", insn->src_reg);
	else
		strbuf__addf(sb, "%d", insn->imm);
	return true;
}

static bool add_load(const struct bpf_insn *insn, struct strbuf *sb)
{
	__u8 mode = BPF_MODE(insn->code);
	bool is_signed = mode == MODE_SIGNED || mode == MODE_PROBE_SIGNED;

	strbuf__addf(sb, "r%d = *(%c%s *)(r%d %+d)", insn->dst_reg, is_signed ? 's' : 'u',
		     size_of(insn->code), insn->src_reg, insn->off);
	return true;
}

/* Adds the text of a 16-byte instruction, which loads a 64-bit constant or a reference to a map. */
static void add_wide(const struct bpf_insn *insn, struct strbuf *sb)
{
	uint64_t value = (uint32_t)insn[0].imm | (uint64_t)(uint32_t)insn[1].imm << 32;

	strbuf__addf(sb, "r%d = ", insn->dst_reg);
	if (insn->src_reg == BPF_PSEUDO_MAP_FD)
		strbuf__addf(sb, "map %d", insn->imm);
	else if (insn->src_reg == BPF_PSEUDO_MAP_VALUE)
		strbuf__addf(sb, "map %d value +%d", insn[0].imm, insn[1].imm);
	else
		strbuf__addf(sb, "0x%" PRIx64, value);
}

static bool add_packet_load(const struct bpf_insn *insn, struct strbuf *sb)
{
	if (BPF_MODE(insn->code) != BPF_ABS && BPF_MODE(insn->code) != BPF_IND)
		return false;
	strbuf__addf(sb, "r0 = *(u%s *)packet[", size_of(insn->code));
	if (BPF_MODE(insn->code) == BPF_IND)
		strbuf__addf(sb, "r%d ", insn->src_reg);
	strbuf__addf(sb, "%d]", insn->imm);
	return true;
}

static bool add_known(const struct bpf_insn *insn, uint32_t nr, struct strbuf *sb)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return add_alu(insn, sb);
	case BPF_JMP:
	case BPF_JMP32:
		return add_jump(insn, nr, sb);
	case BPF_ST:
	case BPF_STX:
		return add_store(insn, sb);
	case BPF_LDX:
		return add_load(insn, sb);
	default:
		return add_packet_load(insn, sb);
	}
}

uint32_t bpf_insn__add_text(const struct bpf_insn *insns, uint32_t nr, uint32_t nr_all,
			    struct strbuf *sb)
{
	const struct bpf_insn *insn = &insns[nr];
	uint64_t bytes;

	if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && nr + 1 < nr_all) {
		add_wide(insn, sb);
		return 2;
	}
	if (!add_known(insn, nr, sb)) {
		memcpy(&bytes, insn, sizeof(bytes));
		strbuf__addf(sb, "0x%016" PRIx64, bytes);
	}
	return 1;
}
