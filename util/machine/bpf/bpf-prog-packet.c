// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog-packet.h"

#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>

#include "util/machine/bpf/bpf-prog.h"

/* Returns the kind of packet that the kernel passes to programs of @type (linux/bpf_types.h). */
static enum bpf_prog_packet packet_of_type(uint32_t type)
{
	switch (type) {
	case BPF_PROG_TYPE_XDP:
		return BPF_PROG_PACKET_XDP;
	case BPF_PROG_TYPE_SOCKET_FILTER:
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
	case BPF_PROG_TYPE_CGROUP_SKB:
	case BPF_PROG_TYPE_LWT_IN:
	case BPF_PROG_TYPE_LWT_OUT:
	case BPF_PROG_TYPE_LWT_XMIT:
	case BPF_PROG_TYPE_LWT_SEG6LOCAL:
	case BPF_PROG_TYPE_SK_SKB:
		return BPF_PROG_PACKET_SKB;
	default:
		return BPF_PROG_NO_PACKET;
	}
}

static const struct btf_type *without_modifiers(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(btf, type->type);
	return type;
}

/* Returns whether the first argument of @func is a pointer to struct @name. */
static bool takes(const struct btf *btf, __u32 func, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, func);
	const char *its_name;

	type = type && btf_is_func(type) ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || !btf_is_func_proto(type) || !btf_vlen(type))
		return false;
	type = without_modifiers(btf, btf_params(type)[0].type);
	if (!type || !btf_is_ptr(type))
		return false;
	type = without_modifiers(btf, type->type);
	its_name = type && btf_is_struct(type) ? btf__name_by_offset(btf, type->name_off) : NULL;
	return its_name && !strcmp(its_name, name);
}

enum bpf_prog_packet bpf_prog__packet(const struct bpf_prog *prog)
{
	enum bpf_prog_packet packet = packet_of_type(prog->type);
	bool has_type;
	struct btf *btf;

	if (packet == BPF_PROG_NO_PACKET)
		return packet;
	btf = prog->btf_id ? btf__load_from_kernel_by_id(prog->btf_id) : NULL;
	has_type = btf && takes(btf, prog->func_btf_id,
				packet == BPF_PROG_PACKET_XDP ? "xdp_md" : "__sk_buff");
	btf__free(btf);
	return has_type ? packet : BPF_PROG_PACKET_UNKNOWN;
}
