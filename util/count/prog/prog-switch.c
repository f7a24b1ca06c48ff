// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/backend-prog-group.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bpf_skel/prog_profiler.h"
#include "bpf_skel/prog_switch.skel.h"
#include "util/base/reason.h"
#include "util/count/prog/prog-shape.h"
#include "util/machine/bpf/bpf-prog.h"

struct prog_switch {
	struct prog_switch_bpf *skel;
	struct bpf_link *link;
};

/*
 * Looks for PREEMPT, PREEMPT_RT or PREEMPT_DYNAMIC in the kernel's version text. With
 * PREEMPT_DYNAMIC, the mode is chosen at boot or later, so pstat assumes that the kernel preempts
 * tasks.
 */
bool prog_switch__kernel_preempts(void)
{
	struct utsname uts;

	return uname(&uts) || strstr(uts.version, "PREEMPT");
}

bool prog_switch__may_sleep(const struct bpf_prog *prog)
{
	switch (prog->type) {
	case BPF_PROG_TYPE_SYSCALL:
	case BPF_PROG_TYPE_LSM:
	case BPF_PROG_TYPE_TRACING:
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_STRUCT_OPS:
	case BPF_PROG_TYPE_EXT:
		return true;
	default:
		return false;
	}
}

int prog_switch__attach(const struct prog_shape *shape, struct prog_switch **out)
{
	struct prog_switch *hook = calloc(1, sizeof(*hook));
	int err = -ENOMEM;

	*out = hook;
	if (hook) {
		hook->skel = prog_switch_bpf__open();
		err = hook->skel ? prog_shape__apply(shape, hook->skel) : -errno;
		err = err ?: prog_switch_bpf__load(hook->skel);
	}
	if (!err) {
		hook->link = bpf_program__attach(hook->skel->progs.pstat_on_switch);
		err = hook->link ? 0 : -errno;
	}
	if (err) {
		reason__set(shape->why, err,
			    "-b: cannot attach to the context switch, so runs that sleep or are "
			    "preempted cannot be counted: %s\n"
			    "-v shows libbpf's messages",
			    strerror(-err));
		prog_switch__detach(hook);
		*out = NULL;
	}
	return err;
}

void prog_switch__detach(struct prog_switch *hook)
{
	if (!hook)
		return;
	bpf_link__destroy(hook->link);
	prog_switch_bpf__destroy(hook->skel);
	free(hook);
}
