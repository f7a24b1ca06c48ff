/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code of a loaded BPF program as it runs: where its functions are in the kernel, and which lines of source their instructions
 * come from, as its BTF has it.
 *
 *	address ──► function (jited_ksyms, jited_func_lens; names: func_info)
 *	        └─► line (jited_line_info) ──► instructions from there on (line_info), file:line and text (BTF's strings)
 */
#ifndef PSTAT_MACHINE_BPF_PROG_CODE_H
#define PSTAT_MACHINE_BPF_PROG_CODE_H

#include <stdint.h>

struct bpf_insn;
struct bpf_prog;
struct btf;
struct strbuf;

/* [addr, addr + len). Without BTF a function has no name, and which instructions are its own is not known. */
struct bpf_code_func {
	uint64_t addr;
	uint32_t len; /* bytes of machine code */
	char *name;
	uint32_t btf_id;	 /* of the function in the program's BTF; 0 without */
	uint32_t insn, nr_insns; /* its translated instructions; nr_insns 0: not known */
};

/* What begins at @addr comes from @line, up to where the next begins. */
struct bpf_code_line {
	uint64_t addr;
	uint32_t func;		 /* its place among the functions */
	uint32_t insn, nr_insns; /* translated instructions */
	uint32_t line, column;
	const char *file; /* "" when it is not known, as is the text */
	const char *text;
};

struct bpf_code {
	uint32_t nr_funcs;
	struct bpf_code_func *funcs; /* the main one is the first */
	uint32_t nr_lines;
	struct bpf_code_line *lines; /* by address; none without BTF */
	uint32_t nr_insns;
	struct bpf_insn *insns; /* as the verifier left them; none where this user may not see them */
	struct btf *btf;	/* owns what the lines point at; NULL without */
};

/*
 * 0 and *@code. -ENOEXEC: the program is interpreted, and not machine code; -EACCES: the kernel does not tell addresses (kptr_restrict);
 * or another -errno. The reason, and what to do, is added to @why.
 */
int bpf_code__read(const struct bpf_prog *prog, struct bpf_code **code, struct strbuf *why);
void bpf_code__free(struct bpf_code *code);

/* The line at @addr, by its place, or -1. */
int bpf_code__line_at(const struct bpf_code *code, uint64_t addr);

#endif
