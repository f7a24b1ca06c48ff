/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a BPF program be counted on this kernel? */
#ifndef PSTAT_COUNT_PROG_CHECK_H
#define PSTAT_COUNT_PROG_CHECK_H

struct bpf_prog;
struct prog_links;
struct strbuf;

/*
 * 0, or -errno and the reason in @why, what to do in @advice. The last word has the kernel: a program of two instructions is
 * loaded for @prog, whose names have been read, and dropped again; it is attached to nothing. -EBUSY: another program
 * replaces the function (@links knows it), so that it does not run and the kernel takes no fentry on it.
 */
int prog_check(const struct bpf_prog *prog, const struct prog_links *links, struct strbuf *why, struct strbuf *advice);

/* The check for a replaced function alone: 0 or -EBUSY. */
int prog_check__replaced(const struct bpf_prog *prog, const struct prog_links *links, struct strbuf *why,
			 struct strbuf *advice);

#endif
