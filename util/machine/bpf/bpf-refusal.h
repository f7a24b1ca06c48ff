/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out which part of the kernel refused to load a BPF program, and what the user can do. */
#ifndef PSTAT_MACHINE_BPF_REFUSAL_H
#define PSTAT_MACHINE_BPF_REFUSAL_H

#include <stdbool.h>

struct strbuf;
struct sysroots;

/*
 * Adds the cause of @err, the -errno with which a program could not be loaded, to @cause, and the
 * advice to @remedy, both without a full stop. @remedy may be NULL. @log is the verifier's log, or
 * NULL.
 *
 * Many parts of the kernel return EPERM. To find out which one did, the function examines the
 * capabilities and the seccomp filter of this process, and the files of @roots that describe the
 * policy and the abilities of the kernel.
 */
void bpf_refusal__explain(const struct sysroots *roots, int err, const char *log,
			  struct strbuf *cause, struct strbuf *remedy);

/*
 * Returns whether a program was refused because the JIT compiler of BPF is disabled. @log is the
 * verifier's log, or "" if there is none.
 */
bool bpf_refusal__is_of_jit(const struct sysroots *roots, const char *log);

/*
 * Adds the last lines of a verifier's log, separated by " / ", without its statistics. Adds nothing
 * if the log contains nothing else.
 */
void bpf_refusal__add_verdict(const char *log, struct strbuf *sb);

#endif
