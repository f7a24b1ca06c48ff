/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From Linux 6.7 on, a BPF program can throw an exception: it calls bpf_throw(), which unwinds the
 * stack up to the program's main function. bpf_throw() cannot unwind the trampoline that the kernel
 * adds to a function for fentry and fexit programs. If there is a trampoline on the stack between
 * bpf_throw() and the main function, the kernel oopses (seen on Linux 6.12, x86-64). Therefore,
 * pstat must not attach fentry or fexit programs to a function that an exception can unwind. The
 * main function is never unwound, so a trampoline at the main function does no harm.
 */
#ifndef PSTAT_MACHINE_BPF_PROG_THROWS_H
#define PSTAT_MACHINE_BPF_PROG_THROWS_H

struct bpf_prog;
struct strbuf;
struct sysroots;

/*
 * Checks whether an exception can unwind the function prog->func. bpf_prog__read_func() must have
 * been called for @prog. Returns 0 if no exception can unwind the function; -EDEADLK if the
 * function calls bpf_throw(), directly or through other functions; -EACCES if the kernel hides
 * which functions the program calls; or another -errno. On error, adds the reason to @why.
 */
int bpf_prog__check_throws(const struct sysroots *roots, const struct bpf_prog *prog,
			   struct strbuf *why);

#endif
