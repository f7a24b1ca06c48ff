// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog-type.h"

#include <string.h>

#include "util/base/strbuf.h"

#define BIT(type) (1ULL << (type))

/*
 * Names of types, indexed by enum bpf_prog_type. The constants of the enum are not used, because
 * the headers on the build machine may lack the newest types. The values are part of the kernel's
 * ABI.
 */
static const char *const names[] = {
	"unspec",
	"socket_filter",
	"kprobe",
	"sched_cls",
	"sched_act",
	"tracepoint",
	"xdp",
	"perf_event",
	"cgroup_skb",
	"cgroup_sock",
	"lwt_in",
	"lwt_out",
	"lwt_xmit",
	"sock_ops",
	"sk_skb",
	"cgroup_device",
	"sk_msg",
	"raw_tracepoint",
	"cgroup_sock_addr",
	"lwt_seg6local",
	"lirc_mode2",
	"sk_reuseport",
	"flow_dissector",
	"cgroup_sysctl",
	"raw_tracepoint_writable",
	"cgroup_sockopt",
	"tracing",
	"struct_ops",
	"ext",
	"lsm",
	"sk_lookup",
	"syscall",
	"netfilter",
};
#define NR_NAMES (sizeof(names) / sizeof(names[0]))

/* Other names of types: common ones, and those that libbpf uses in the names of ELF sections. */
static const struct {
	const char *name;
	uint64_t types;
} others[] = {
	{ "tc", BIT(3) | BIT(4) },
	{ "tp", BIT(5) },
	{ "raw_tp", BIT(17) | BIT(24) },
	{ "freplace", BIT(28) },
	{ "socket", BIT(1) },
	{ "cgroup", BIT(8) | BIT(9) | BIT(15) | BIT(18) | BIT(23) | BIT(25) },
};
#define NR_OTHERS (sizeof(others) / sizeof(others[0]))

_Static_assert(NR_NAMES < 64, "a bit for each type");

void bpf_prog_type__add_name(uint32_t type, struct strbuf *sb)
{
	if (type < NR_NAMES)
		strbuf__adds(sb, names[type]);
	else
		strbuf__addf(sb, "type %u", type);
}

uint64_t bpf_prog_type__parse(const char *name)
{
	for (size_t type = 1; type < NR_NAMES; type++)
		if (!strcmp(names[type], name))
			return BIT(type);
	for (size_t i = 0; i < NR_OTHERS; i++)
		if (!strcmp(others[i].name, name))
			return others[i].types;
	return 0;
}

const char *bpf_prog_type__known(size_t nr)
{
	if (nr + 1 < NR_NAMES)
		return names[nr + 1];
	nr -= NR_NAMES - 1;
	return nr < NR_OTHERS ? others[nr].name : NULL;
}
