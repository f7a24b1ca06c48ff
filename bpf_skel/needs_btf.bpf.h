/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This header is for objects whose programs use no maps. If libbpf 1.1 runs out of memory while it
 * opens an object that contains no map, it ignores the error and crashes when it loads the object.
 * If the object needs BTF, libbpf reports the error instead. The map below makes the object need
 * BTF. User space makes sure that the map is never created.
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
