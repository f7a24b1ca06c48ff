// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-check.h"

#include <errno.h>
#include <linux/bpf.h>

#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/machine/bpf-prog.h"

int prog_check(const struct bpf_prog *prog, struct strbuf *why, struct strbuf *advice)
{
	int err;

	if (!prog->func_btf_id) {
		strbuf__adds(why, "the program has no BTF, and fentry finds its target by BTF");
		strbuf__adds(advice, "compile it with clang -g and load it with a loader that passes the BTF on");
		return -ENOENT;
	}
	if (!prog->jited) {
		strbuf__adds(why, "the program is interpreted, and fentry needs machine code");
		strbuf__adds(advice,
			     "turn the compiler on (sysctl net.core.bpf_jit_enable=1) and load the program again");
		return -EOPNOTSUPP;
	}
	err = bpf_util__probe_fentry(prog->fd, prog->func_btf_id, why);
	if (err == -EINVAL && prog->type == BPF_PROG_TYPE_TRACING)
		strbuf__adds(why, ": it is a tracing program itself, as fentry and fexit programs and iterators are");
	if (err)
		strbuf__adds(advice, "`pstat --version -vv` shows what this kernel allows");
	return err;
}
