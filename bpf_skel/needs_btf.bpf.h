/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For objects without maps. If libbpf 1.1 runs out of memory while it reads the BTF of an object,
 * it opens the object nevertheless, and crashes when it loads it. It fails properly only if the
 * object needs its BTF, for example because of a map like this one. The map is never created: user
 * space disables it between open and load.
 */
#ifndef PSTAT_NEEDS_BTF_BPF_H
#define PSTAT_NEEDS_BTF_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} never_made SEC(".maps");

#endif
