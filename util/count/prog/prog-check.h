/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a BPF program be counted on this kernel? */
#ifndef PSTAT_COUNT_PROG_CHECK_H
#define PSTAT_COUNT_PROG_CHECK_H

struct bpf_prog;
struct strbuf;

/*
 * 0, or -errno and the reason in @why, what to do in @advice. The last word has the kernel: a program of two instructions is
 * loaded for @prog, whose names have been read, and dropped again; it is attached to nothing.
 */
int prog_check(const struct bpf_prog *prog, struct strbuf *why, struct strbuf *advice);

#endif
