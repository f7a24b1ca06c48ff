/* SPDX-License-Identifier: GPL-2.0-only */
/* Which part of the kernel refused a bpf(2) call, and what the user can do about it. */
#ifndef PSTAT_MACHINE_BPF_REFUSAL_H
#define PSTAT_MACHINE_BPF_REFUSAL_H

struct strbuf;
struct sysroots;

/*
 * Adds the cause of @err, an -errno of loading or attaching a BPF program, to @cause, and the
 * advice to @remedy, both without a full stop. @remedy may be NULL; nothing is added to it if there
 * is no advice. @log is the verifier's log, or NULL. The cause begins with the name of the errno.
 *
 * Many parts of the kernel return EPERM. To find out which one did, the function examines the
 * capabilities and seccomp filters of this process, and the files of @roots that describe the
 * machine's policy.
 */
void bpf_refusal__explain(const struct sysroots *roots, int err, const char *log,
			  struct strbuf *cause, struct strbuf *remedy);

/*
 * Adds the last lines of a verifier's log, without its statistics, joined by " / ". Adds nothing if
 * the log contains nothing else.
 */
void bpf_refusal__add_verdict(const char *log, struct strbuf *sb);

#endif
