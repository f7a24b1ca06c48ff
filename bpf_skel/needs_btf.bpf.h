/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For objects without maps. libbpf 1.1 opens an object although it had no memory for what it reads of its BTF, unless the object needs
 * its BTF, and crashes when it loads it. What needs BTF are maps like this one. It is never made: user space says so between open and
 * load.
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
