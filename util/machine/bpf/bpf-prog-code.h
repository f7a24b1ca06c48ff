/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine code of a loaded BPF program: the kernel addresses of its functions, and (from the
 * program's BTF) the source lines of its instructions. In this drawing, jited_ksyms,
 * jited_func_lens, func_info, jited_line_info and line_info are arrays to which members of struct
 * bpf_prog_info point:
 *
 *	address ──► function (jited_ksyms, jited_func_lens; names: func_info)
 *	        └─► line (jited_line_info) ──► instructions (line_info), file:line and text (BTF)
 */
#ifndef PSTAT_MACHINE_BPF_PROG_CODE_H
#define PSTAT_MACHINE_BPF_PROG_CODE_H

#include <stdint.h>

struct bpf_insn;
struct bpf_prog;
struct btf;
struct kernel_code;
struct strbuf;

/*
 * A function at [addr, addr + len). Without BTF, the main function has the program's name, the
 * others are called "function N", and the instructions are known only if the program has a single
 * function.
 */
struct bpf_code_func {
	uint64_t addr;
	uint32_t len; /* bytes of machine code */
	char *name;
	uint32_t btf_id; /* id of the function in the program's BTF; 0 without BTF */
	/*
	 * the function's instructions: `nr_insns` elements of bpf_code.insns, beginning at index
	 * `insn`; `nr_insns` is 0 if the instructions are unknown
	 */
	uint32_t insn, nr_insns;
};

/*
 * A source line. Its machine code begins at `addr` and ends where the code of the next element of
 * bpf_code.lines begins, or at the end of the function if that comes first.
 */
struct bpf_code_line {
	uint64_t addr;
	uint32_t func;		 /* index of the function in `funcs` of struct bpf_code */
	uint32_t insn, nr_insns; /* as in struct bpf_code_func */
	uint32_t line, column;
	const char *file; /* "" if unknown */
	const char *text; /* the source text of the line; "" if unknown */
};

struct bpf_code {
	uint32_t nr_funcs;
	struct bpf_code_func *funcs; /* funcs[0] is the main function */
	uint32_t nr_lines;
	struct bpf_code_line *lines; /* sorted by address; empty without BTF */
	uint32_t nr_insns;	     /* 0: this user may not see the instructions */
	/* the instructions after the verifier has translated them */
	struct bpf_insn *insns;
	struct btf *btf; /* owns the strings of the lines; NULL without BTF */
};

/*
 * Reads the code of @prog. Returns 0 and sets *@code; -ENOEXEC if the program is interpreted, and
 * so has no machine code; -EACCES if the kernel hides addresses (kptr_restrict); or another -errno.
 * On error, adds the reason, and possibly advice for the user, to @why.
 */
int bpf_code__read(const struct bpf_prog *prog, struct bpf_code **code, struct strbuf *why);
void bpf_code__free(struct bpf_code *code);

/* Returns the index of the element of code->lines that contains the address @addr, or -1. */
int bpf_code__line_at(const struct bpf_code *code, uint64_t addr);

/*
 * Adds the lengths of the functions of all loaded BPF programs to @code (kernel-code.h), and marks
 * @code as complete. Returns 0; -EPERM or -EACCES if this user may not see the programs or their
 * addresses; -ENOMEM; or another -errno.
 */
int bpf_prog_code__add_lengths(struct kernel_code *code);

#endif
