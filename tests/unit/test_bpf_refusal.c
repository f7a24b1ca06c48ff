// SPDX-License-Identifier: GPL-2.0-only
/*
 * Causes of refused BPF programs, on imitated kernels: files of sysfs and procfs, and the
 * verifier's logs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/privileges.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/bpf-refusal.h"

#define ENOTSUPP 524
#define STATISTICS                                                                            \
	"processed 9 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states " \
	"0 mark_read 0\n"
#define HELPER "program of this type cannot use helper bpf_probe_read_kernel#113\n"
#define NEW_HELPER "\nReason:\n  The helper bpf_probe_read#4 is not allowed: wrong type.\n"
#define CALLBACK "Func#4 is safe\ncallbacks are not allowed in non-JITed programs\n"

static const struct row {
	const char *lockdown, *lsm, *jit; /* contents of files; NULL: missing */
	bool btf;
	bool needs_root; /* Users without privileges get a different answer. */
	int err;
	const char *log, *cause, *remedy;
} rows[] = {
	{ NULL, NULL, "1", true, false, -EINVAL, "R1 is a pointer\nR2 !read_ok\n" STATISTICS,
	  "the verifier refuses the program: R1 is a pointer / R2 !read_ok", "" },
	{ NULL, NULL, "1", true, false, -EACCES, "only line\n", "program: only line", "" },
	{ NULL, NULL, "0", true, false, -EINVAL, CALLBACK, "JIT compiler of BPF is disabled",
	  "bpf_jit_enable to 1" },
	{ NULL, NULL, "0", true, false, -EINVAL,
	  "program requires BPF JIT compiler but it is not available\n",
	  "JIT compiler of BPF is disabled", "bpf_jit_enable to 1" },
	{ NULL, NULL, "1", true, false, -EINVAL, CALLBACK, "callbacks are not allowed", "" },
	{ NULL, NULL, "0", true, false, -ENOTSUPP, NULL, "JIT compiler of BPF is disabled",
	  "bpf_jit_enable to 1" },
	{ NULL, NULL, "1", true, false, -ENOTSUPP, NULL, "does not support it", "" },
	{ "none integrity [confidentiality]\n", NULL, "1", true, false, -EINVAL, HELPER STATISTICS,
	  "locked down (confidentiality)", "lockdown=confidentiality" },
	{ "none integrity [confidentiality]\n", NULL, "1", true, false, -EINVAL, NEW_HELPER,
	  "locked down (confidentiality)", "lockdown=confidentiality" },
	{ "[none] integrity confidentiality\n", NULL, "1", true, false, -EINVAL, HELPER STATISTICS,
	  "cannot use helper bpf_probe_read_kernel#113", "" },
	{ "none integrity [confidentiality]\n", NULL, "1", true, true, -EPERM, NULL,
	  "locked down (confidentiality)", "lockdown=confidentiality" },
	{ "[none] integrity confidentiality\n", "lockdown,capability,selinux\n", "1", true, true,
	  -EPERM, STATISTICS, "security module (selinux)", "policy" },
	{ NULL, "lockdown,capability\n", "1", true, true, -EPERM, NULL, "policy of this kernel",
	  "" },
	{ NULL, NULL, "1", false, false, -ESRCH, NULL, "provides no BTF", "CONFIG_DEBUG_INFO_BTF" },
	{ NULL, NULL, "1", true, false, -ESRCH, NULL, "No such process", "" },
	{ NULL, NULL, "1", true, false, -ENOMEM, NULL, "memory.max", "raise the limit" },
	{ NULL, NULL, "1", true, false, -E2BIG, NULL, "too large for this kernel", "fewer events" },
};

static void write_file(const char *root, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void make_folders(const char *root)
{
	static const char *const names[] = { "kernel", "kernel/security", "kernel/btf",
					     "sys",    "sys/net",	  "sys/net/core" };
	char path[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
}

static void remove_folder(const char *root)
{
	char line[256];

	snprintf(line, sizeof(line), "rm -r %s", root);
	assert_int_equal(system(line), 0);
}

static void check(const struct row *row)
{
	char root[] = "/tmp/pstat-refusal.XXXXXX";
	const struct sysroots roots = { .sysfs = root, .procfs = root, .tracefs = root };
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;

	assert_non_null(mkdtemp(root));
	make_folders(root);
	if (row->lockdown)
		write_file(root, "kernel/security/lockdown", row->lockdown);
	if (row->lsm)
		write_file(root, "kernel/security/lsm", row->lsm);
	if (row->jit)
		write_file(root, "sys/net/core/bpf_jit_enable", row->jit);
	if (row->btf)
		write_file(root, "kernel/btf/vmlinux", "a kernel's BTF");
	bpf_refusal__explain(&roots, row->err, row->log, &cause, &remedy);
	remove_folder(root);
	if (!strstr(cause.text ?: "", row->cause) || !strstr(remedy.text ?: "", row->remedy) ||
	    (!*row->remedy && remedy.len))
		fail_msg("%s: cause: %s, remedy: %s", row->cause, cause.text, remedy.text);
	strbuf__free(&remedy);
	strbuf__free(&cause);
}

static void each_cause_is_found(void **state)
{
	bool full = privileges__allow_bpf() && !privileges__are_filtered();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (full || !rows[i].needs_root)
			check(&rows[i]);
}

static void the_verdict_is_taken_from_the_end_of_the_log(void **state)
{
	static const struct {
		const char *log, *verdict;
	} logs[] = {
		{ "", "" },
		{ "\n\n", "" },
		{ STATISTICS, "" },
		{ "a\n" STATISTICS STATISTICS, "a" },
		{ "a\nb\nc\n" STATISTICS, "b / c" },
		{ "a\n\nVerification failed: b\n\nReason:\n  c d.\n\nAt:\n  e\n", "c d." },
		{ "a\n\n\nb", "a / b" },
		{ "a\x1b[1mb\n", "a?[1mb" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct strbuf verdict = STRBUF_INIT;

		bpf_refusal__add_verdict(logs[i].log, &verdict);
		assert_string_equal(verdict.text ?: "", logs[i].verdict);
		strbuf__free(&verdict);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cause_is_found),
		cmocka_unit_test(the_verdict_is_taken_from_the_end_of_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
