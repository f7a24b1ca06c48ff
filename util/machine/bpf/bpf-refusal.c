// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-refusal.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/base/privileges.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"

/* defined only in the kernel's internal linux/errno.h, but bpf(2) returns it */
#define ENOTSUPP 524

/*
 * How many of the last lines of the verifier's log are printed. One line would not suffice, because
 * the last line is often only the state of a register.
 */
#define VERDICT_LINES 2

/* ---- the verifier ---- */

#define REASON "\nReason:\n"

static bool is_statistics(const char *line)
{
	return !strncmp(line, "processed ", strlen("processed "));
}

/* Returns the start of the line that ends at @end. */
static const char *line_before(const char *log, const char *end)
{
	while (end > log && end[-1] != '\n')
		end--;
	return end;
}

/*
 * Returns the line after "Reason:", or NULL. From Linux 7.3 on, "Reason:" is the heading of one of
 * several sections at the end of the log.
 */
static const char *reason_line(const char *log)
{
	const char *reason = strstr(log, REASON);

	return reason ? reason + strlen(REASON) + strspn(reason + strlen(REASON), " ") : NULL;
}

void bpf_refusal__add_verdict(const char *log, struct strbuf *sb)
{
	const char *starts[VERDICT_LINES], *ends[VERDICT_LINES], *end = log + strlen(log);
	const char *reason = reason_line(log);
	int nr = 0;

	if (reason) {
		strbuf__add_clean_part(sb, reason, strcspn(reason, "\n"));
		return;
	}
	while (nr < VERDICT_LINES && end > log) {
		const char *start;

		while (end > log && end[-1] == '\n')
			end--;
		start = line_before(log, end);
		if (end > start && !is_statistics(start)) {
			starts[nr] = start;
			ends[nr++] = end;
		}
		end = start;
	}
	for (int i = nr - 1; i >= 0; i--) {
		strbuf__add_clean_part(sb, starts[i], (size_t)(ends[i] - starts[i]));
		if (i)
			strbuf__adds(sb, " / ");
	}
}

/* ---- the policy of the machine ---- */

static bool reads(const char *root, const char *path, char *text, size_t size)
{
	return sysfs__read(root, path, text, size) > 0;
}

/*
 * Returns whether the lockdown mode is "confidentiality". The kernel puts the current mode in
 * brackets: "none integrity [confidentiality]".
 */
static bool is_locked_down(const struct sysroots *roots)
{
	char text[128];

	return reads(roots->sysfs, "kernel/security/lockdown", text, sizeof(text)) &&
	       strstr(text, "[confidentiality]");
}

/* Returns the name of an active security module that can restrict BPF, or NULL if there is none. */
static const char *security_module(const struct sysroots *roots, char *text, size_t size)
{
	static const char *const names[] = { "selinux", "apparmor", "bpf" };

	if (!reads(roots->sysfs, "kernel/security/lsm", text, size))
		return NULL;
	for (char *rest = text, *name; (name = strsep(&rest, ","));)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(name, names[i]))
				return names[i];
	return NULL;
}

static bool has_no_btf(const struct sysroots *roots)
{
	char text[4];

	/* reading an existing file also fails, but with -EFBIG: it does not fit into the buffer */
	return sysfs__read(roots->sysfs, "kernel/btf/vmlinux", text, sizeof(text)) == -ENOENT;
}

/* ---- causes ---- */

static void say(struct strbuf *cause, const char *text, struct strbuf *remedy, const char *advice)
{
	strbuf__adds(cause, text);
	if (remedy && advice)
		strbuf__adds(remedy, advice);
}

/* Explains EPERM: finds out which part of the kernel returned this error. */
static void explain_eperm(const struct sysroots *roots, struct strbuf *cause, struct strbuf *remedy)
{
	char text[256];
	const char *module = security_module(roots, text, sizeof(text));

	if (!privileges__allow_bpf() || privileges__are_filtered())
		say(cause, privileges__bpf_reason(false), remedy, privileges__bpf_advice(false));
	else if (is_locked_down(roots))
		say(cause, "EPERM: the kernel is locked down (confidentiality)", remedy,
		    "boot without lockdown=confidentiality");
	else if (module) {
		strbuf__addf(cause, "EPERM: a security module (%s) probably refuses bpf()", module);
		if (remedy)
			strbuf__adds(remedy, "allow bpf() in its policy");
	} else
		say(cause, "EPERM: a policy of this kernel refuses such programs even to root",
		    remedy, NULL);
}

/*
 * Returns whether the verifier refused a helper that reads memory. A locked-down kernel hides the
 * helpers that read kernel memory.
 */
static bool misses_helper(const char *log)
{
	return strstr(log, "bpf_probe_read") &&
	       (strstr(log, "unknown func") || strstr(log, "cannot use helper") ||
		strstr(log, "is not allowed"));
}

#define JIT_IS_OFF "the JIT compiler of BPF is disabled (net.core.bpf_jit_enable is 0)"
#define ENABLE_JIT "set net.core.bpf_jit_enable to 1"

/*
 * Interpreted programs cannot use callbacks, and fentry programs cannot be attached to interpreted
 * programs. The kernel's error code does not show that the JIT compiler is disabled, so this
 * function reads net.core.bpf_jit_enable. If there is a log, returns true only if the log contains
 * "JIT".
 */
bool bpf_refusal__is_of_jit(const struct sysroots *roots, const char *log)
{
	uint64_t value;

	return (!*log || strstr(log, "JIT")) &&
	       !sysfs__read_u64(roots->procfs, "sys/net/core/bpf_jit_enable", &value) && !value;
}

static void explain_verdict(const struct sysroots *roots, const char *log, struct strbuf *cause,
			    struct strbuf *remedy)
{
	if (bpf_refusal__is_of_jit(roots, log)) {
		say(cause, JIT_IS_OFF, remedy, ENABLE_JIT);
		return;
	}
	if (misses_helper(log) && is_locked_down(roots)) {
		say(cause,
		    "the kernel is locked down (confidentiality), so BPF may not read its memory",
		    remedy, "boot without lockdown=confidentiality");
		return;
	}
	strbuf__adds(cause, "the verifier refuses the program: ");
	bpf_refusal__add_verdict(log, cause);
}

/* If pstat knows the cause of @err, adds the cause and the remedy, and returns true. */
static bool explain_error(const struct sysroots *roots, int err, struct strbuf *cause,
			  struct strbuf *remedy)
{
	if (err == -ENOSYS)
		say(cause, "ENOSYS: this kernel was built without bpf() (CONFIG_BPF_SYSCALL)",
		    remedy, "use a kernel with CONFIG_BPF_SYSCALL=y");
	else if (err == -ENOMEM)
		say(cause,
		    "Cannot allocate memory: the memory limit of pstat's cgroup (memory.max) or "
		    "the memory of the machine is not enough",
		    remedy, "raise the limit, or count fewer events, programs or cgroups");
	else if (err == -E2BIG)
		say(cause, "E2BIG: the program is too large for this kernel", remedy,
		    "count fewer events at once");
	else if ((err == -ENOTSUPP || err == -EOPNOTSUPP) && bpf_refusal__is_of_jit(roots, ""))
		say(cause, JIT_IS_OFF, remedy, ENABLE_JIT);
	else if ((err == -ESRCH || err == -ENOENT || err == -EINVAL) && has_no_btf(roots))
		say(cause, "this kernel provides no BTF (/sys/kernel/btf/vmlinux does not exist)",
		    remedy,
		    "use a kernel with CONFIG_DEBUG_INFO_BTF=y, and mount all of /sys in the "
		    "container");
	else
		return false;
	return true;
}

void bpf_refusal__explain(const struct sysroots *roots, int err, const char *log,
			  struct strbuf *cause, struct strbuf *remedy)
{
	struct strbuf verdict = STRBUF_INIT;

	bpf_refusal__add_verdict(log ?: "", &verdict);
	if (err == -ENOSYS && privileges__filter_refuses_bpf(err))
		say(cause, "ENOSYS: a seccomp filter probably refuses bpf()", remedy,
		    privileges__bpf_advice(false));
	else if (privileges__filter_refuses_bpf(err))
		say(cause, privileges__bpf_reason(false), remedy, privileges__bpf_advice(false));
	else if (verdict.len)
		explain_verdict(roots, log, cause, remedy);
	else if (err == -EPERM)
		explain_eperm(roots, cause, remedy);
	else if (!explain_error(roots, err, cause, remedy))
		strbuf__adds(cause, err == -ENOTSUPP ? "ENOTSUPP: this kernel does not support it" :
						       strerror(-err));
	strbuf__free(&verdict);
}
