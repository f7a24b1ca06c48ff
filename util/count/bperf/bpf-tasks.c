// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bpf-tasks.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/kernel-btf.h"
#include "util/machine/kernel-release.h"
#include "util/machine/task/pid-ns.h"
#include "util/machine/task/threadmap.h"

/*
 * Returns whether the tracepoint sched_switch passes the state of the outgoing task (since Linux
 * 5.18). Checks the kernel version, because a probe would have to attach a program to sched_switch.
 * On older kernels, pstat finds the state through the kernel's BTF, which doubles pstat's start-up
 * time. Tests set PSTAT_TASK_STATE=btf to make pstat use BTF on newer kernels, too.
 */
static bool is_argument(void)
{
	const char *way = getenv("PSTAT_TASK_STATE");

	if (way && !strcmp(way, "btf"))
		return false;
	return kernel_release__is_since(5, 18);
}

/*
 * Returns the offset of the task's state, or -errno. Before Linux 5.14, the state is a long, and
 * BPF programs read only its first 32 bits. On little-endian machines, these bits contain all
 * flags. On 64-bit big-endian machines, they contain none, so BPF programs do not see that a task
 * is dead.
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

int bpf_tasks__find_state(const struct sysroots *roots, int *offset, struct strbuf *why)
{
	struct kernel_btf *btf;
	int found;

	*offset = -1;
	if (is_argument())
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
			"BPF cannot see which tasks end: the position of the state in struct "
			"task_struct is not known (%s/kernel/btf/vmlinux: %s)\n"
			"use a kernel with CONFIG_DEBUG_INFO_BTF, or Linux 5.18 or later",
			roots->sysfs, strerror(-found));
	*offset = found;
	return 0;
}

bool bpf_tasks__can_be_preempted(void)
{
	return kernel_release__is_since(7, 0);
}

bool bpf_tasks__exits_come_in_time(void)
{
	return kernel_release__is_since(6, 16);
}

bool bpf_tasks__can_end_at_tracepoint(void)
{
	return bpf_tasks__exits_come_in_time() && !bpf_tasks__can_be_preempted();
}

/*
 * Returns whether the thread is known to be in a PID namespace other than @own.
 */
static bool is_below(const struct sysroots *roots, pid_t tid, const struct pid_ns *own)
{
	struct pid_ns ns;

	return !pid_ns__find(roots, tid, &ns) && ns.ino != own->ino;
}

static void warn_of_others(const struct sysroots *roots, const struct threadmap *threads,
			   const struct pid_ns *own)
{
	int nr = 0, first = -1;

	for (int i = 0; threads && i < threads->nr; i++) {
		if (!is_below(roots, threads->tids[i], own))
			continue;
		first = nr++ ? first : threads->tids[i];
	}
	if (nr)
		pr_warn_once("%d of the threads (the first: thread %d) are not counted, because "
			     "BPF cannot identify threads in another PID namespace\nrun pstat in "
			     "that PID namespace or in the initial one, or omit --bpf-counters",
			     nr, first);
}

void bpf_tasks__find_pid_ns(const struct sysroots *roots, const struct threadmap *threads,
			    struct pid_ns *ns)
{
	int err = pid_ns__find(roots, 0, ns);

	if (err && threads)
		pr_warn_once("cannot read the PID namespace of pstat (/proc/self/ns/pid: %s): "
			     "single tasks are counted only if pstat runs in the initial PID "
			     "namespace",
			     strerror(-err));
	if (err || pid_ns__is_first(ns))
		*ns = (struct pid_ns){ 0 };
	else
		warn_of_others(roots, threads, ns);
}
