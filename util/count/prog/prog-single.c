// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/backend-prog-group.h"

#include <errno.h>
#include <stddef.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/outliers.h"
#include "util/count/prog/prog-kernel.h"
#include "util/count/prog/prog-list.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/share/run-words.h"
#include "util/count/stat-config.h"
#include "util/machine/bpf/bpf-prog-packet.h"
#include "util/machine/bpf/bpf-prog.h"

void prog_single__want_time(struct prog_shape *shape, const struct stat_config *cfg)
{
	if (cfg->outliers && !cfg->outliers->evsel)
		shape->words.clock = 1;
}

static int word_of(const void *shape, int event)
{
	const struct prog_event *found = &((const struct prog_shape *)shape)->events[event];

	if (found->kind == PROG_NONE)
		return -ENOENT;
	return found->kind == PROG_TIMED ? -EBUSY : found->word;
}

int prog_single__place(struct prog_shape *shape, const struct backend_group *group,
		       const struct stat_config *cfg)
{
	shape->outliers = cfg->outliers;
	shape->branches = cfg->outliers && cfg->outliers->branches;
	return run_words__find(group, cfg->outliers, word_of, shape, &shape->hist_word,
			       &shape->outlier_word);
}

/*
 * Returns the reason why packets of this kind cannot be read. Returns NULL if they can be read, or
 * if there are no packets (BPF_PROG_NO_PACKET).
 */
static const char *why_no_packet(const struct prog_kernel *kernel, enum bpf_prog_packet packet)
{
	switch (packet) {
	case BPF_PROG_PACKET_XDP:
		return kernel->has_xdp ? NULL :
					 "this kernel does not let pstat read packets of XDP "
					 "programs (bpf_xdp_output needs Linux 5.7)";
	case BPF_PROG_PACKET_SKB:
		return kernel->has_skb ? NULL :
					 "this kernel does not let pstat read packets "
					 "(bpf_skb_output needs Linux 5.5)";
	case BPF_PROG_PACKET_UNKNOWN:
		return "its BTF does not declare the first argument of the function as the "
		       "context\n"
		       "in its source, declare this argument as struct xdp_md * or struct "
		       "__sk_buff *";
	case BPF_PROG_NO_PACKET:
		break;
	}
	return NULL;
}

int prog_single__check_packets(const struct prog_kernel *kernel, const struct prog_list *list,
			       bool more)
{
	int nr = 0;

	for (int i = 0; i < list->nr; i++) {
		const struct bpf_prog *prog = list->entries[i].target.prog;
		enum bpf_prog_packet packet = bpf_prog__packet(prog);
		const char *why = why_no_packet(kernel, packet);

		nr += packet != BPF_PROG_NO_PACKET && !why;
		if (why)
			pr_warn("--packet: -b %u (%s): its packets cannot be read: %s", prog->id,
				prog->name, why);
		else if (packet == BPF_PROG_NO_PACKET)
			pr_info("--packet: -b %u (%s): programs of its type have no packets",
				prog->id, prog->name);
	}
	if (nr || more)
		return 0;
	return reason__set(
		list->why, -EINVAL,
		"--packet: none of the programs has packets that can be read\nleave --packet out");
}
