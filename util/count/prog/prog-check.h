/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether fentry and fexit programs can count a BPF program on this kernel. */
#ifndef PSTAT_COUNT_PROG_CHECK_H
#define PSTAT_COUNT_PROG_CHECK_H

struct bpf_prog;
struct prog_links;
struct strbuf;

/*
 * Checks whether fentry and fexit programs can count @prog. bpf_prog__read_func() must have set
 * @prog->func, the function to count. The last check loads (but does not attach) an fentry program
 * of two instructions that traces this function. Returns 0, or -errno with the reason in @why and
 * advice for the user in @advice. -EBUSY means that a freplace program replaces the function,
 * according to @links. A replaced function does not run, and the kernel refuses to attach fentry
 * programs to it.
 */
int prog_check(const struct bpf_prog *prog, const struct prog_links *links, struct strbuf *why,
	       struct strbuf *advice);

/*
 * Checks only whether a freplace program replaces the function of @prog. Returns 0, or -EBUSY with
 * the reason in @why and advice for the user in @advice.
 */
int prog_check__replaced(const struct bpf_prog *prog, const struct prog_links *links,
			 struct strbuf *why, struct strbuf *advice);

#endif
