// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/task-state.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/kernel-btf.h"
#include "util/machine/kernel-release.h"

/*
 * Older ones may have the argument too, where their maker added it; later ones all have it, and
 * need not read their types, which would double what it costs to begin. To probe for it a program
 * that reads it would have to be attached, which is refused where there is none
 * (kernel/trace/bpf_trace.c), and which patches the kernel's context switch twice. The
 * environment's PSTAT_TASK_STATE=btf is for tests of the other way.
 */
static bool is_told(void)
{
	const char *way = getenv("PSTAT_TASK_STATE");

	if (way && !strcmp(way, "btf"))
		return false;
	return kernel_release__is_since(5, 18);
}

/*
 * Before Linux 5.14 it is a long, whose lower half, which comes first on the machines that pstat is
 * for, has all of the bits.
 */
static int find_state(const struct kernel_btf *btf)
{
	struct kernel_btf_type task = { .name = "task_struct", .kind = BTF_KIND_STRUCT };
	int err = kernel_btf__find(btf, &task, 1), offset;

	if (err)
		return err;
	offset = kernel_btf__member(btf, &task, "__state");
	return offset == -ENOENT ? kernel_btf__member(btf, &task, "state") : offset;
}

int task_state__find(const struct sysroots *roots, int *offset, struct strbuf *why)
{
	struct kernel_btf *btf;
	int found;

	*offset = -1;
	if (is_told())
		return 0;
	found = kernel_btf__open(roots, &btf);
	if (!found) {
		found = find_state(btf);
		kernel_btf__close(btf);
	}
	if (found == -ENOMEM)
		return found;
	if (found < 0)
		return reason__set(
			why, found,
			"BPF cannot see which tasks end: where struct task_struct has its state is "
			"not known "
			"(%s/kernel/btf/vmlinux: %s)\n"
			"take a kernel with CONFIG_DEBUG_INFO_BTF, or Linux 5.18 or later",
			roots->sysfs, strerror(-found));
	*offset = found;
	return 0;
}
