// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog-throws.h"

#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/bpf/kernel-btf.h"

/* ---- bpf_throw() of this kernel ---- */

/*
 * The form of a call to bpf_throw() in a program that the verifier has translated. Depending on the
 * architecture, the instruction contains the BTF id of bpf_throw(), or the distance of bpf_throw()
 * from __bpf_call_base.
 */
struct throw_call {
	int32_t btf_id; /* 0: this kernel has no bpf_throw() */
	bool has_distance;
	int32_t distance;
};

static int find_btf_id(const struct sysroots *roots, struct throw_call *call)
{
	struct kernel_btf_type type = { .name = "bpf_throw", .kind = BTF_KIND_FUNC };
	struct kernel_btf *btf;
	int err = kernel_btf__open(roots, &btf);

	if (err)
		return err == -ENOENT ? 0 : err; /* without BTF, no program can call bpf_throw() */
	err = kernel_btf__find(btf, &type, 1);
	call->btf_id = (int32_t)type.id;
	kernel_btf__close(btf);
	return err;
}

/*
 * Sets `has_distance` and `distance`. `has_distance` is false if kallsyms cannot be read, or shows
 * 0 instead of the addresses.
 */
static void find_distance(const struct sysroots *roots, struct throw_call *call)
{
	unsigned long long address, base = 0, throws = 0;
	char path[PATH_MAX], line[1024], name[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/kallsyms", roots->procfs);
	file = fopen(path, "re");
	if (!file)
		return;
	while ((!base || !throws) && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %*c %63s", &address, name) != 2)
			continue;
		if (!strcmp(name, "__bpf_call_base"))
			base = address;
		else if (!strcmp(name, "bpf_throw"))
			throws = address;
	}
	fclose(file);
	call->has_distance = base && throws;
	call->distance = (int32_t)(throws - base);
}

/* ---- the program ---- */

struct translated {
	__u32 nr, nr_funcs;
	struct bpf_insn *insns;
	struct bpf_func_info *funcs; /* one for each function; funcs[0] is the main function */
	/* for each function: whether it calls bpf_throw(), directly or through other functions */
	bool *throws;
};

static void translated__free(struct translated *t)
{
	free(t->insns);
	free(t->funcs);
	free(t->throws);
}

/*
 * Reads the translated instructions of @prog. Returns 0; -EACCES if the kernel hides the
 * instructions; or another -errno.
 */
static int translated__read(struct translated *t, const struct bpf_prog *prog)
{
	struct bpf_prog_info info = {};
	int err = bpf_prog__read_info(prog->fd, &info);

	if (err || !info.xlated_prog_len)
		return err ?: -EACCES;
	t->nr = info.xlated_prog_len / sizeof(*t->insns);
	t->nr_funcs = info.nr_func_info;
	t->insns = calloc(t->nr, sizeof(*t->insns));
	t->funcs = calloc((size_t)t->nr_funcs + 1, sizeof(*t->funcs));
	t->throws = calloc((size_t)t->nr_funcs + 1, sizeof(*t->throws));
	if (!t->insns || !t->funcs || !t->throws)
		return -ENOMEM;
	info = (struct bpf_prog_info){
		.xlated_prog_len = info.xlated_prog_len,
		.xlated_prog_insns = (__u64)(unsigned long)t->insns,
		.nr_func_info = t->nr_funcs,
		.func_info_rec_size = sizeof(*t->funcs),
		.func_info = (__u64)(unsigned long)t->funcs,
	};
	err = bpf_prog__read_info(prog->fd, &info);
	return err ?: info.xlated_prog_insns ? 0 : -EACCES;
}

static bool calls_kernel(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_KFUNC_CALL;
}

/*
 * Returns the index of the function of this program that the instruction calls, or passes to the
 * kernel as a callback. If there is no such function, returns 0, the index of the main function,
 * which no instruction calls.
 */
static __u32 callee_of(const struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL)
		return (__u32)insn->imm;
	if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC)
		return (__u32)insn[1].imm;
	return 0;
}

static bool throws(const struct bpf_insn *insn, const struct throw_call *call)
{
	return calls_kernel(insn) &&
	       (insn->imm == call->btf_id || (call->has_distance && insn->imm == call->distance));
}

/* Returns whether `throws` is already set for the function that callee_of() returns for @insn. */
static bool calls_thrower(const struct translated *t, __u32 insn)
{
	__u32 callee = insn + 1 < t->nr ? callee_of(&t->insns[insn]) : 0;

	return callee && callee < t->nr_funcs && t->throws[callee];
}

/*
 * Makes one pass over all instructions, and marks functions that call bpf_throw() or a marked
 * function. Returns whether the pass marked any function.
 */
static bool spread(struct translated *t, const struct throw_call *call)
{
	bool found = false;
	__u32 func = 0;

	for (__u32 i = 0; i < t->nr; i++) {
		while (func + 1 < t->nr_funcs && t->funcs[func + 1].insn_off <= i)
			func++;
		if (t->throws[func] || (!throws(&t->insns[i], call) && !calls_thrower(t, i)))
			continue;
		t->throws[func] = found = true;
	}
	return found;
}

/*
 * Returns whether the program calls a function of the kernel that pstat cannot identify. If the
 * kernel hides addresses from this user, the call contains 0 instead of an id or distance, or the
 * distance of bpf_throw() is unknown.
 */
static bool is_hidden(const struct translated *t, const struct throw_call *call)
{
	for (__u32 i = 0; i < t->nr; i++)
		if (calls_kernel(&t->insns[i]) && (!t->insns[i].imm || !call->has_distance))
			return true;
	return false;
}

static int look(const struct sysroots *roots, const struct bpf_prog *prog, struct translated *t)
{
	struct throw_call call = { 0 };
	__u32 func = 0;
	int err = find_btf_id(roots, &call);

	if (err || !call.btf_id)
		return err;
	err = translated__read(t, prog);
	if (err)
		return err;
	while (func < t->nr_funcs && t->funcs[func].type_id != prog->func_btf_id)
		func++;
	if (!func || func == t->nr_funcs)
		return 0;
	find_distance(roots, &call);
	if (is_hidden(t, &call))
		return -EACCES;
	while (spread(t, &call))
		;
	return t->throws[func] ? -EDEADLK : 0;
}

int bpf_prog__check_throws(const struct sysroots *roots, const struct bpf_prog *prog,
			   struct strbuf *why)
{
	struct translated t = { 0 };
	int err = look(roots, prog, &t);

	translated__free(&t);
	if (err == -EDEADLK)
		strbuf__addf(why,
			     "%s calls bpf_throw(), directly or through another function, and an "
			     "exception crashes the kernel if it leaves a function with fentry and "
			     "fexit programs",
			     prog->func);
	else if (err == -EACCES)
		strbuf__addf(why,
			     "the kernel hides what the program calls, and if %s calls "
			     "bpf_throw(), counting it would crash the kernel",
			     prog->func);
	else if (err)
		strbuf__addf(why, "cannot find out whether %s calls bpf_throw(): %s", prog->func,
			     strerror(-err));
	return err;
}
