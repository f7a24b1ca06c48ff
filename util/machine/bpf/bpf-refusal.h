/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out why the kernel refused to load a BPF program, and what the user can do. */
#ifndef PSTAT_MACHINE_BPF_REFUSAL_H
#define PSTAT_MACHINE_BPF_REFUSAL_H

#include <stdbool.h>

struct strbuf;
struct sysroots;

/*
 * Explains why a program could not be loaded. @err is the -errno of the attempt. @log is the
 * verifier's log, or NULL. Adds the cause to @cause, and advice for the user to @remedy, both
 * without a full stop. @remedy may be NULL.
 *
 * Many parts of the kernel return EPERM. To find out which part returned EPERM, the function
 * examines the capabilities and the seccomp filter of this process. It also reads the files below
 * @roots that describe the kernel's policy and features.
 */
void bpf_refusal__explain(const struct sysroots *roots, int err, const char *log,
			  struct strbuf *cause, struct strbuf *remedy);

/*
 * Returns whether a program was refused because the BPF JIT compiler is disabled. @log is the
 * verifier's log, or "" if there is none.
 */
bool bpf_refusal__is_of_jit(const struct sysroots *roots, const char *log);

/*
 * Adds the verifier's reason to @sb. The reason is the line after "Reason:" (from Linux 7.3 on). If
 * @log has no such line, the reason is the last two lines of @log before the verifier's statistics,
 * separated by " / ". Adds nothing if @log is empty or contains only statistics.
 */
void bpf_refusal__add_verdict(const char *log, struct strbuf *sb);

#endif
