/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF instructions as text, in the notation of LLVM's assembler and of the verifier. */
#ifndef PSTAT_MACHINE_BPF_INSN_H
#define PSTAT_MACHINE_BPF_INSN_H

#include <stdint.h>

struct bpf_insn;
struct strbuf;

/*
 * Adds what the instruction at @nr of the @nr_all ones of a program does: jumps and calls within the program name the instruction that
 * they go to, by its number. One that is not known is given in hexadecimal. Returns the number of slots that it takes, 1 or 2.
 */
uint32_t bpf_insn__add_text(const struct bpf_insn *insns, uint32_t nr, uint32_t nr_all, struct strbuf *sb);

#endif
