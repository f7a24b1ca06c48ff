/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of BPF programs that an exception can leave. bpf_throw() (Linux 6.7) unwinds the stack up to the main function, and
 * the unwinder does not find its way through the trampoline that calls a function with fentry and fexit programs: it stops there, and the
 * kernel oopses (seen on 6.12, x86-64). An exception never leaves the main function, so a trampoline there does no harm.
 */
#ifndef PSTAT_MACHINE_BPF_PROG_THROWS_H
#define PSTAT_MACHINE_BPF_PROG_THROWS_H

struct bpf_prog;
struct strbuf;
struct sysroots;

/*
 * Can an exception leave the function that is meant by @prog, whose names have been read? 0: no. -EDEADLK: yes, as it calls bpf_throw(),
 * itself or through other functions; -EACCES: it cannot be told, as the kernel hides what the program calls; or another -errno. The
 * reason is added to @why.
 */
int bpf_prog__check_throws(const struct sysroots *roots, const struct bpf_prog *prog, struct strbuf *why);

#endif
