/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Offsets and an id that bpf_skel/cgroup_counter.bpf.c needs from the running kernel. libbpf would
 * index all types of the kernel for them. kernel-btf finds them in a tenth of the time, and passes
 * the offsets to libbpf as a BTF of nine structs, against which libbpf relocates the programs
 * (btf_custom_path).
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_BTF_H
#define PSTAT_COUNT_BACKEND_CGROUP_BTF_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

struct cgroup_btf {
	int fd;		     /* a memfd, which the caller closes */
	uint32_t switch_id;  /* id of the type by which tp_btf/sched_switch is attached */
	bool has_perf_event; /* the offsets of v1's perf_event hierarchy are known */
};

/* Returns 0, or -errno with the reason in @why_not. */
int cgroup_btf__make(struct cgroup_btf *btf, struct strbuf *why_not);

#endif
