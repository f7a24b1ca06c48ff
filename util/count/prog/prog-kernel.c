// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-kernel.h"

#include <errno.h>
#include <linux/btf.h>
#include <string.h>

#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/kernel-btf.h"

enum { HELPERS, SKB, XDP, NR_TYPES };

static bool has_helper(const struct kernel_btf *btf, const struct kernel_btf_type *helpers,
		       const char *name)
{
	return helpers->id && kernel_btf__enum_value(btf, helpers, name) >= 0;
}

/*
 * If @type has @member, sets *@place to the offset of the member and returns true. Otherwise, sets
 * *@place to 0 and returns false.
 */
static bool find_place(const struct kernel_btf *btf, const struct kernel_btf_type *type,
		       const char *member, __u32 *place)
{
	int offset = type->id ? kernel_btf__member(btf, type, member) : -1;

	*place = offset >= 0 ? (__u32)offset : 0;
	return offset >= 0;
}

static int read_facts(const struct kernel_btf *btf, struct prog_kernel *kernel)
{
	struct kernel_btf_type types[NR_TYPES] = {
		[HELPERS] = { .name = "bpf_func_id", .kind = BTF_KIND_ENUM },
		[SKB] = { .name = "sk_buff", .kind = BTF_KIND_STRUCT },
		[XDP] = { .name = "xdp_buff", .kind = BTF_KIND_STRUCT },
	};
	struct prog_packet_layout *at = &kernel->packets;
	bool has_ends;

	if (kernel_btf__find(btf, types, NR_TYPES))
		return -ENOMEM;
	has_ends = find_place(btf, &types[XDP], "data", &at->xdp_data);
	has_ends &= find_place(btf, &types[XDP], "data_end", &at->xdp_data_end);
	at->xdp_helper = has_helper(btf, &types[HELPERS], "BPF_FUNC_xdp_get_buff_len");
	kernel->has_xdp = has_helper(btf, &types[HELPERS], "BPF_FUNC_xdp_output") &&
			  (at->xdp_helper || has_ends);
	kernel->has_skb = has_helper(btf, &types[HELPERS], "BPF_FUNC_skb_output") &&
			  find_place(btf, &types[SKB], "len", &at->skb_len);
	kernel->has_pid_ns = has_helper(btf, &types[HELPERS], "BPF_FUNC_get_ns_current_pid_tgid");
	return 0;
}

int prog_kernel__look(const struct sysroots *roots, struct prog_kernel *kernel, struct strbuf *why)
{
	struct kernel_btf *btf;
	int err = kernel_btf__open(roots, &btf);

	*kernel = (struct prog_kernel){ 0 };
	if (err)
		return reason__set(
			why, err,
			"-b: cannot read the kernel's own types in %s/kernel/btf/vmlinux: %s",
			roots->sysfs, strerror(-err));
	err = read_facts(btf, kernel);
	kernel_btf__close(btf);
	return err;
}
