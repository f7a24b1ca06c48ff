// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-check.h"

#include <errno.h>
#include <linux/bpf.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/bpf-util.h"
#include "util/machine/bpf/bpf-prog-links.h"
#include "util/machine/bpf/bpf-prog-throws.h"
#include "util/machine/bpf/bpf-prog.h"

int prog_check__replaced(const struct bpf_prog *prog, const struct prog_links *links,
			 struct strbuf *why, struct strbuf *advice)
{
	uint32_t by = prog_links__replacer(links, prog->id, prog->func_btf_id);

	if (!by)
		return 0;
	strbuf__addf(why, "replaced by program %u: use -b %u", by, by);
	strbuf__addf(advice, "`%s` does not run: the kernel runs the freplace program in its place",
		     prog->func);
	return -EBUSY;
}

int prog_check(const struct bpf_prog *prog, const struct prog_links *links, struct strbuf *why,
	       struct strbuf *advice)
{
	int err;

	if (!prog->func_btf_id) {
		strbuf__adds(why, "the program has no BTF, and fentry finds its target by BTF");
		strbuf__adds(advice, "compile it with clang -g and load it with a loader that "
				     "passes the BTF on");
		return -ENOENT;
	}
	if (!prog->jited) {
		strbuf__adds(why, "the program is interpreted, and fentry needs machine code");
		strbuf__adds(advice, "enable the JIT compiler (sysctl net.core.bpf_jit_enable=1) "
				     "and load the program again");
		return -EOPNOTSUPP;
	}
	err = prog_check__replaced(prog, links, why, advice);
	if (err)
		return err;
	err = prog->func_is_main ? 0 : bpf_prog__check_throws(sysroots__host(), prog, why);
	if (err) {
		strbuf__addf(advice,
			     err == -EACCES ? "run pstat as root, with kernel.kptr_restrict below "
					      "2, or count the whole program: -b %u" :
					      "count the whole program: -b %u",
			     prog->id);
		return err;
	}
	err = bpf_util__probe_fentry(prog->fd, prog->func_btf_id, why);
	if (err == -EINVAL && prog->type == BPF_PROG_TYPE_TRACING)
		strbuf__adds(why, ": it is a tracing program itself, as fentry and fexit programs "
				  "and iterators are");
	if (err)
		strbuf__adds(advice, "`pstat --version -vv` shows what this kernel allows");
	return err;
}
