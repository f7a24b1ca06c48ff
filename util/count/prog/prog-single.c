// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/backend-prog-group.h"

#include <errno.h>
#include <stddef.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/outliers.h"
#include "util/count/prog/prog-kernel.h"
#include "util/count/prog/prog-list.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/bpf/bpf-prog-packet.h"
#include "util/machine/bpf/bpf-prog.h"

void prog_single__want_time(struct prog_shape *shape, const struct stat_config *cfg)
{
	if (cfg->outliers && !cfg->outliers->evsel)
		shape->words.clock = 1;
}

static int place_of(const struct backend_group *group, const struct evsel *evsel)
{
	for (int i = 0; i < group->nr; i++)
		if (group->evsels[i] == evsel)
			return i;
	return -1;
}

static int refuse_shared_counter(const struct backend_group *group, const char *option,
				 const struct evsel *evsel)
{
	return reason__set(group->why, -EBUSY,
			   "%s: %s shares its counter with other events, so it cannot be counted "
			   "in each run\n"
			   "count fewer events",
			   option, evsel->name);
}

static int place_hist(struct prog_shape *shape, const struct backend_group *group)
{
	int event = group->runs->hist ? place_of(group, group->runs->hist->evsel) : -1;

	/* the event is not open; its row shows this, and -v prints the reason */
	if (event < 0 || shape->events[event].kind == PROG_NONE)
		return 0;
	if (shape->events[event].kind == PROG_TIMED)
		return refuse_shared_counter(group, "--hist", group->runs->hist->evsel);
	shape->hist_word = shape->events[event].word;
	return 0;
}

/*
 * If the event is not counted, returns an error. Otherwise, the user would think that no run passed
 * the threshold.
 */
static int refuse_unsupported(const struct backend_group *group, int event)
{
	const char *why = event >= 0 ? group->counts[event]->why_not : NULL;

	return reason__set(group->why, -EOPNOTSUPP,
			   "--outliers: %s cannot be counted%s%s\nname another event, or 'time', "
			   "as in --outliers 50us,time",
			   event >= 0 ? group->evsels[event]->name : "the event", why ? ": " : "",
			   why ?: "");
}

static int outlier_word(const struct prog_shape *shape, const struct backend_group *group,
			const struct evsel *evsel)
{
	int event = place_of(group, evsel);

	if (event < 0 || shape->events[event].kind == PROG_NONE)
		return refuse_unsupported(group, event);
	if (shape->events[event].kind == PROG_TIMED)
		return refuse_shared_counter(group, "--outliers", evsel);
	return shape->events[event].word;
}

/* Sets the words of --outliers and --hist. The clock is the first word. */
static int place_outliers(struct prog_shape *shape, const struct backend_group *group,
			  const struct outlier_spec *spec)
{
	int word = spec->evsel ? outlier_word(shape, group, spec->evsel) : 0;

	if (word < 0)
		return word;
	shape->outliers = spec;
	shape->outlier_word = word;
	/* pN needs a histogram; if --hist is given, it names the same event */
	shape->branches = spec->branches;
	if (spec->by_percentile)
		shape->hist_word = word;
	return 0;
}

int prog_single__place(struct prog_shape *shape, const struct backend_group *group,
		       const struct stat_config *cfg)
{
	int err = place_hist(shape, group);

	return err ?: cfg->outliers ? place_outliers(shape, group, cfg->outliers) : 0;
}

/* Returns the reason why packets of this kind cannot be read, or NULL if they can. */
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
