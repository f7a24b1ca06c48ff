/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats BPF instructions in a notation similar to LLVM's and the verifier's. */
#ifndef PSTAT_MACHINE_BPF_INSN_H
#define PSTAT_MACHINE_BPF_INSN_H

#include <stdint.h>

struct bpf_insn;
struct strbuf;

/*
 * Adds the text of the instruction @insns[@nr] to @sb. @insns has @nr_all elements of 8 bytes. For
 * a jump or call within the program, the text contains the index of the target instruction. Unknown
 * instructions are printed in hexadecimal. Returns the number of elements that the instruction
 * occupies: 1 or 2.
 */
uint32_t bpf_insn__add_text(const struct bpf_insn *insns, uint32_t nr, uint32_t nr_all,
			    struct strbuf *sb);

#endif
