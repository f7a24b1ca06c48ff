// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-sections.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/share/scope-kernel.h"
#include "util/machine/bpf/kernel-btf.h"

/*
 * A program of SCOPE_SECTION_FENTRY, and the options with which libbpf loads this program, such as
 * the BTF of the program's object. The pointers in the options, except fd_array and log_buf, are
 * valid while the object is open.
 */
struct loaded {
	const struct bpf_program *prog;
	struct bpf_prog_load_opts opts;
};

/*
 * The data for the handlers below, which libbpf calls. The data is static, because the handlers
 * stay registered until the process ends.
 */
static struct {
	uint32_t func_id, is_return_id;
	struct loaded loaded[2]; /* the programs at the beginning and at the end of runs */
	int nr_loaded;
} sections;

/*
 * The prog_prepare_load_fn for SCOPE_SECTION_FENTRY. libbpf calls it before loading @prog. Makes
 * @prog an fentry program for the function with the BTF id sections.func_id, and keeps the options
 * in sections.loaded.
 */
static int prepare_fentry(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	(void)cookie;
	opts->expected_attach_type = BPF_TRACE_FENTRY;
	opts->attach_btf_id = sections.func_id;
	sections.nr_loaded %= 2;
	sections.loaded[sections.nr_loaded++] = (struct loaded){ .prog = prog, .opts = *opts };
	return bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
}

int scope_sections__load_fentry(const struct bpf_program *prog, uint32_t func_id, bool at_return)
{
	const struct loaded *loaded = &sections.loaded[sections.loaded[0].prog != prog];
	struct bpf_prog_load_opts opts = loaded->opts;
	int fd;

	if (loaded->prog != prog)
		return -EINVAL;
	opts.expected_attach_type = at_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
	opts.attach_btf_id = func_id;
	/* libbpf has already freed fd_array and log_buf */
	opts.fd_array = NULL;
	opts.log_level = 0;
	opts.log_buf = NULL;
	opts.log_size = 0;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(prog), "GPL",
			   bpf_program__insns(prog), bpf_program__insn_cnt(prog), &opts);
	return fd < 0 ? -errno : fd;
}

/*
 * The prog_prepare_load_fn for SCOPE_SECTION_SESSION. Changes each call with the operand
 * SCOPE_IS_RETURN_CALL to a call of the kernel function bpf_session_is_return().
 */
static int prepare_session(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	size_t nr = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = malloc(nr * sizeof(*insns));
	int err;

	(void)cookie;
	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(prog), nr * sizeof(*insns));
	for (size_t i = 0; i < nr; i++) {
		if (insns[i].code != (BPF_JMP | BPF_CALL) || insns[i].src_reg ||
		    insns[i].imm != SCOPE_IS_RETURN_CALL)
			continue;
		insns[i].src_reg = BPF_PSEUDO_KFUNC_CALL;
		insns[i].imm = (__s32)sections.is_return_id;
	}
	err = bpf_program__set_insns(prog, insns, nr);
	free(insns);
	opts->expected_attach_type = (enum bpf_attach_type)SCOPE_TRACE_KPROBE_SESSION;
	return err;
}

static int add_handler(const char *section, libbpf_prog_prepare_load_fn_t prepare)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .prog_prepare_load_fn = prepare);

	return libbpf_register_prog_handler(section, BPF_PROG_TYPE_KPROBE, 0, &handler);
}

int scope_sections__find_switch(uint32_t *id, struct strbuf *why)
{
	struct kernel_btf_type type = { .name = "btf_trace_sched_switch",
					.kind = BTF_KIND_TYPEDEF };
	struct kernel_btf *btf;
	int err = kernel_btf__open(sysroots__host(), &btf);

	if (err)
		return reason__set(why, err,
				   "--scope: %s/kernel/btf/vmlinux: %s: context switches cannot be "
				   "followed",
				   sysroots__host()->sysfs, strerror(-err));
	err = kernel_btf__find(btf, &type, 1);
	kernel_btf__close(btf);
	*id = type.id;
	if (!err && !type.id)
		err = -ENOENT;
	return reason__set(why, err,
			   "--scope: this kernel's BTF does not describe the tracepoint "
			   "sched_switch: context switches cannot be followed");
}

int scope_sections__register(void)
{
	static bool done;
	int err;

	if (done)
		return 0;
	err = add_handler(SCOPE_SECTION_FENTRY, prepare_fentry);
	err = err < 0 ? err : add_handler(SCOPE_SECTION_SESSION, prepare_session);
	done = err >= 0;
	return err < 0 ? err : 0;
}

void scope_sections__use_fentry(uint32_t func_id)
{
	sections.func_id = func_id;
	sections.nr_loaded = 0;
}

void scope_sections__use_session(uint32_t is_return_id)
{
	sections.is_return_id = is_return_id;
}
