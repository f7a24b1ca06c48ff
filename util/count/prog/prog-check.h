/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether a BPF program can be counted on this kernel. */
#ifndef PSTAT_COUNT_PROG_CHECK_H
#define PSTAT_COUNT_PROG_CHECK_H

struct bpf_prog;
struct prog_links;
struct strbuf;

/*
 * Checks whether @prog can be counted. bpf_prog__read_func() must have read its function. Returns
 * 0, or -errno with the reason in @why and what to do in @advice. To let the kernel decide, loads
 * an fentry program of two instructions for @prog, and closes it without attaching it. -EBUSY:
 * according to @links, a freplace program replaces the function of @prog that would be counted.
 * That function then does not run, and the kernel refuses to attach fentry to it.
 */
int prog_check(const struct bpf_prog *prog, const struct prog_links *links, struct strbuf *why,
	       struct strbuf *advice);

/* Only checks whether the function is replaced. Returns 0, or -EBUSY with the reason in @why. */
int prog_check__replaced(const struct bpf_prog *prog, const struct prog_links *links,
			 struct strbuf *why, struct strbuf *advice);

#endif
