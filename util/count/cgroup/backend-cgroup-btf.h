/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf_skel/cgroup_counter.bpf.c has to know of the running kernel. Libbpf would index all its types for a few offsets and an id;
 * kernel-btf finds those in a tenth of the time, and the offsets go to libbpf in its own terms: as a BTF of nine structs, which it
 * relocates the programs against (btf_custom_path).
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_BTF_H
#define PSTAT_COUNT_BACKEND_CGROUP_BTF_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

struct cgroup_btf {
	int fd;		     /* a memfd, the caller's to close */
	uint32_t switch_id;  /* of the type that tp_btf/sched_switch is attached by */
	bool has_perf_event; /* v1's perf_event hierarchy is known */
};

/* 0, or -errno with the reason in @why_not. */
int cgroup_btf__make(struct cgroup_btf *btf, struct strbuf *why_not);

#endif
