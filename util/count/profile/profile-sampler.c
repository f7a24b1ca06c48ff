// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/profile-sampler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_skel/gate.h"
#include "bpf_skel/profile.skel.h"
#include "perf-sys.h"
#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/fd/event-fds.h"
#include "util/count/profile/profile-progs.h"
#include "util/count/profile/profile-stacks.h"
#include "util/count/profile/profile.h"
#include "util/count/profile/sample-table.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

/*
 * Usually, one program is attached to all events, and the BPF cookie of each link identifies the
 * event. If cookies cannot be used, each event has its own program, and all programs use the maps
 * of the first program.
 */
struct profile_sampler {
	struct sampler_target target;
	const struct sampling *sampling;
	bool by_link;
	int nr_cpus; /* all CPU ids are less than this number */
	int nr_skels;
	struct profile_bpf **skels;
	int nr_threads;
	int *links; /* fds, indexed by [event][CPU][thread]; -1: no link */
	/* [event]: the times of the event on CPUs that went offline */
	struct profile_times *gone;
};

/* ---- loading ---- */

static struct bpf_program *program_of(const struct profile_sampler *sampler, int skel)
{
	const struct profile_bpf *bpf = sampler->skels[skel];

	return sampler->sampling->progs ? bpf->progs.pstat_sample_progs :
					  bpf->progs.pstat_sample_stacks;
}

static struct bpf_map *samples_map(const struct profile_sampler *sampler)
{
	const struct profile_bpf *bpf = sampler->skels[0];

	return sampler->sampling->progs ? bpf->maps.profile_lines : bpf->maps.profile_stacks;
}

#define NR_MAPS 11
/*
 * The size of a map. If the number of entries is 0, the loaded program does not use the map, and
 * the map is not created.
 */
struct map_size {
	struct bpf_map *map;
	uint32_t entries;
	uint32_t value_size; /* 0: the size that the BPF source declares */
};

static void list_maps(const struct profile_sampler *sampler, const struct profile *profile,
		      const struct profile_bpf *bpf, struct map_size sizes[NR_MAPS])
{
	const struct sampling *sampling = sampler->sampling;
	uint32_t events = (uint32_t)sampler->target.group->nr, cpus = (uint32_t)sampler->nr_cpus;
	uint32_t stacks = profile->stacks ? sampling->stack_map_size : 0;
	uint32_t depth = profile->stacks ? profile_stacks__depth(profile->stacks) : 0;
	const struct map_size all[NR_MAPS] = {
		{ bpf->maps.fates, events, 0 },
		{ bpf->maps.times, events * cpus, 0 },
		{ bpf->maps.profile_lines, sampling->progs ? sampling->map_size : 0, 0 },
		{ bpf->maps.ranges, profile->progs ? profile_progs__nr_ranges(profile->progs) : 0,
		  0 },
		{ bpf->maps.walks, sampling->progs ? 1 : 0, 0 },
		{ bpf->maps.profile_stacks, stacks ? sampling->map_size : 0, 0 },
		{ bpf->maps.stack_fates, stacks ? events : 0, 0 },
		{ bpf->maps.stack_owners, stacks ? profile_stacks__nr_ids(profile->stacks) : 0, 0 },
		{ bpf->maps.kernel_stacks, stacks, depth * (uint32_t)sizeof(__u64) },
		{ bpf->maps.user_stacks, stacks,
		  depth * (uint32_t)sizeof(struct bpf_stack_build_id) },
		{ bpf->maps.user_stacks_too, (stacks + 3) / 4,
		  depth * (uint32_t)sizeof(struct bpf_stack_build_id) },
	};

	memcpy(sizes, all, sizeof(all));
}

static int size_maps(const struct profile_sampler *sampler, const struct profile *profile,
		     const struct profile_bpf *bpf)
{
	struct map_size sizes[NR_MAPS];
	int err = 0;

	list_maps(sampler, profile, bpf, sizes);
	for (int i = 0; !err && i < NR_MAPS; i++) {
		if (!sizes[i].entries) {
			err = bpf_map__set_autocreate(sizes[i].map, false);
			continue;
		}
		err = bpf_map__set_max_entries(sizes[i].map, sizes[i].entries);
		if (!err && sizes[i].value_size)
			err = bpf_map__set_value_size(sizes[i].map, sizes[i].value_size);
	}
	return err;
}

static int share_maps(const struct profile_sampler *sampler, const struct profile *profile,
		      const struct profile_bpf *bpf)
{
	struct map_size first[NR_MAPS], sizes[NR_MAPS];
	int err = 0;

	list_maps(sampler, profile, sampler->skels[0], first);
	list_maps(sampler, profile, bpf, sizes);
	for (int i = 0; !err && i < NR_MAPS; i++)
		if (sizes[i].entries)
			err = bpf_map__reuse_fd(sizes[i].map, bpf_map__fd(first[i].map));
	return err;
}

/* Cookies identify events if links are used, and if child tasks get no copies of the events. */
static bool has_cookies(const struct profile_sampler *sampler)
{
	return sampler->by_link && !sampler->target.inherit;
}

static void set_constants(const struct profile_sampler *sampler, const struct profile_progs *progs,
			  int skel, struct profile_bpf *bpf)
{
	bpf->rodata->nr_cpus = (__u32)sampler->nr_cpus;
	bpf->rodata->own_event = has_cookies(sampler) ? PROFILE_BY_COOKIE : (__u32)skel;
	if (progs) {
		bpf->rodata->nr_ranges = profile_progs__nr_ranges(progs);
		bpf->rodata->lowest = profile_progs__range(progs, 0).start;
		bpf->rodata->highest =
			profile_progs__range(progs, profile_progs__nr_ranges(progs) - 1).end;
	}
}

static int use_gate(int gate_map, const struct profile_bpf *bpf)
{
	bpf->rodata->gated = gate_map >= 0;
	/* if @gate_map is -1, libbpf creates a map, but the program does not use it */
	return gate_map >= 0 ? bpf_map__reuse_fd(bpf->maps.data_gate, gate_map) : 0;
}

static int load(struct profile_sampler *sampler, const struct profile *profile, int skel)
{
	struct profile_bpf *bpf = profile_bpf__open();
	int err;

	if (!bpf)
		return -errno;
	sampler->skels[skel] = bpf;
	bpf_program__set_autoload(bpf->progs.pstat_sample_stacks, !profile->progs);
	bpf_program__set_autoload(bpf->progs.pstat_sample_progs, profile->progs != NULL);
	set_constants(sampler, profile->progs, skel, bpf);
	err = use_gate(sampler->target.gate_map, bpf);
	err = err ?: size_maps(sampler, profile, bpf);
	if (!err && skel)
		err = share_maps(sampler, profile, bpf);
	return err ?: profile_bpf__load(bpf);
}

static int fill_ranges(const struct profile_sampler *sampler, const struct profile_progs *progs)
{
	int fd = bpf_map__fd(sampler->skels[0]->maps.ranges);

	for (uint32_t i = 0; i < profile_progs__nr_ranges(progs); i++) {
		struct profile_range range = profile_progs__range(progs, i);

		if (bpf_map_update_elem(fd, &i, &range, BPF_ANY))
			return -errno;
	}
	return 0;
}

static int load_all(struct profile_sampler *sampler, const struct profile *profile)
{
	int err = 0;

	for (int skel = 0; !err && skel < sampler->nr_skels; skel++)
		err = load(sampler, profile, skel);
	if (!err && profile->progs)
		err = fill_ranges(sampler, profile->progs);
	if (privileges__filter_refuses_bpf(err))
		return reason__store_call(
			sampler->target.group->why, err, privileges__refused_bpf_call(),
			"the BPF program that takes the samples cannot be loaded");
	return bpf_util__store_load(sampler->target.group->why, err,
				    "the BPF program that takes the samples cannot be loaded",
				    true);
}

/* ---- attaching ---- */

/*
 * Returns whether the kernel has links for perf events (Linux 5.15). Asks for a link to the event
 * with the fd -1. A kernel that has such links returns EBADF, because there is no such event. Older
 * kernels refuse the type of the link with another error.
 */
static bool has_links(void)
{
	int prog = bpf_util__load_perf_event(), link, err;

	if (prog < 0)
		return true; /* loading the real program will report the error */
	link = bpf_link_create(prog, -1, BPF_PERF_EVENT, NULL);
	err = link < 0 ? -errno : 0;
	if (link >= 0)
		close(link);
	close(prog);
	return err == -EBADF;
}

static int *link_at(const struct profile_sampler *sampler, int event, int cpu, int thread)
{
	size_t row = (size_t)event * (size_t)sampler->target.group->cpus->nr + (size_t)cpu;

	return &sampler->links[row * (size_t)sampler->nr_threads + (size_t)thread];
}

static int attach_one(struct profile_sampler *sampler, int event, int fd, int *place)
{
	int skel = sampler->nr_skels > 1 ? event : 0, link;
	int prog = bpf_program__fd(program_of(sampler, skel));
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = (__u64)event + 1);

	if (!sampler->by_link)
		return perf_sys__set_bpf(fd, prog);
	link = bpf_link_create(prog, fd, BPF_PERF_EVENT, &opts);
	if (link < 0)
		return -errno;
	*place = link;
	return 0;
}

static int attach_on_cpu(struct profile_sampler *sampler, int event, int cpu)
{
	const struct backend_group *group = sampler->target.group;

	for (int thread = 0; thread < sampler->nr_threads; thread++) {
		int fd = event_fds__get(sampler->target.fds, event, cpu, thread);
		int err = fd < 0 ? 0 :
				   attach_one(sampler, event, fd,
					      link_at(sampler, event, cpu, thread));

		if (err)
			return reason__set(group->why, err,
					   "%s: a BPF program cannot be attached to it: %s",
					   group->evsels[event]->name, strerror(-err));
	}
	return 0;
}

static int attach_all(struct profile_sampler *sampler)
{
	const struct backend_group *group = sampler->target.group;
	size_t nr = (size_t)group->nr * (size_t)group->cpus->nr * (size_t)sampler->nr_threads;
	int err = 0;

	sampler->links = malloc(sizeof(int) * (nr + 1));
	sampler->gone = calloc((size_t)group->nr + 1, sizeof(*sampler->gone));
	if (!sampler->links || !sampler->gone)
		return -ENOMEM;
	memset(sampler->links, -1, sizeof(int) * nr);
	for (int event = 0; !err && event < group->nr; event++)
		for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++)
			err = attach_on_cpu(sampler, event, cpu);
	if (!err)
		pr_info("sampling: the BPF program is attached by %s, %d program%s for %d event%s",
			sampler->by_link ? "link" : "ioctl", sampler->nr_skels,
			sampler->nr_skels > 1 ? "s" : "", group->nr, group->nr > 1 ? "s" : "");
	return err;
}

static int find_nr_cpus(struct profile_sampler *sampler)
{
	struct cpumap *possible;
	int err = cpumap__possible_here(sampler->target.group->why, &possible);

	if (err)
		return err;
	sampler->nr_cpus = cpumap__last(possible) + 1;
	cpumap__free(possible);
	return 0;
}

int profile_sampler__new(const struct sampler_target *target, const struct sampling *sampling,
			 const struct profile *profile, struct profile_sampler **out)
{
	struct profile_sampler *sampler = calloc(1, sizeof(*sampler));
	int err;

	*out = NULL;
	if (!sampler)
		return -ENOMEM;
	sampler->target = *target;
	sampler->nr_threads = target->group->threads ? target->group->threads->nr : 1;
	sampler->sampling = sampling;
	sampler->by_link = !sampling->by_ioctl && has_links();
	sampler->nr_skels = has_cookies(sampler) ? 1 : target->group->nr;
	sampler->skels = calloc((size_t)sampler->nr_skels + 1, sizeof(struct profile_bpf *));
	err = sampler->skels ? find_nr_cpus(sampler) : -ENOMEM;
	err = err ?: load_all(sampler, profile);
	err = err ?: attach_all(sampler);
	if (err)
		profile_sampler__free(sampler);
	else
		*out = sampler;
	return err;
}

static void detach_from_cpu(struct profile_sampler *sampler, int event, int cpu)
{
	for (int thread = 0; thread < sampler->nr_threads; thread++) {
		int *link = link_at(sampler, event, cpu, thread);

		if (*link >= 0)
			close(*link);
		*link = -1;
	}
}

/* Moves an event's times on an offline CPU to `gone`. If the CPU comes back, they restart at 0. */
static int keep_times(struct profile_sampler *sampler, int event, int cpu)
{
	int fd = bpf_map__fd(sampler->skels[0]->maps.times),
	    id = sampler->target.group->cpus->ids[cpu];
	__u32 key = (__u32)(event * sampler->nr_cpus + id);
	const struct profile_times none = { 0 };
	struct profile_times times;

	if (id < 0)
		return 0;
	if (bpf_map_lookup_elem(fd, &key, &times) ||
	    bpf_map_update_elem(fd, &key, &none, BPF_ANY)) {
		int err = -errno;

		return reason__set(
			sampler->target.group->why, err,
			"%s: cannot save for how long the event was sampled on CPU %d: %s",
			sampler->target.group->evsels[event]->name, id, strerror(-err));
	}
	sampler->gone[event].enabled += times.enabled;
	sampler->gone[event].running += times.running;
	return 0;
}

int profile_sampler__follow_cpu(struct profile_sampler *sampler, int cpu, bool online)
{
	int err = 0;

	for (int event = 0; !err && event < sampler->target.group->nr; event++) {
		if (online) {
			err = attach_on_cpu(sampler, event, cpu);
			continue;
		}
		detach_from_cpu(sampler, event, cpu);
		err = keep_times(sampler, event, cpu);
	}
	return err;
}

static void detach_all(struct profile_sampler *sampler)
{
	for (int event = 0; event < sampler->target.group->nr; event++)
		for (int cpu = 0; cpu < sampler->target.group->cpus->nr; cpu++)
			detach_from_cpu(sampler, event, cpu);
}

void profile_sampler__free(struct profile_sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->links)
		detach_all(sampler);
	free(sampler->gone);
	for (int i = 0; sampler->skels && i < sampler->nr_skels; i++)
		profile_bpf__destroy(sampler->skels[i]);
	free(sampler->links);
	free(sampler->skels);
	free(sampler);
}

/* ---- reading ---- */

static int read_event(const struct profile_sampler *sampler, int event, struct profile_event *to)
{
	const struct profile_bpf *bpf = sampler->skels[0];
	struct profile_event read = { .times = sampler->gone[event] };
	__u32 key = (__u32)event;

	if (bpf_map_lookup_elem(bpf_map__fd(bpf->maps.fates), &key, &read.fate))
		return -errno;
	for (int cpu = 0; cpu < sampler->nr_cpus; cpu++) {
		struct profile_times times;

		key = (__u32)(event * sampler->nr_cpus + cpu);
		if (bpf_map_lookup_elem(bpf_map__fd(bpf->maps.times), &key, &times))
			return -errno;
		read.times.enabled += times.enabled;
		read.times.running += times.running;
	}
	if (!sampler->sampling->progs) {
		key = (__u32)event;
		if (bpf_map_lookup_elem(bpf_map__fd(bpf->maps.stack_fates), &key, &read.stacks))
			return -errno;
	}
	*to = read;
	return 0;
}

static int read_stacks(const struct profile_sampler *sampler, struct profile *profile)
{
	const struct profile_bpf *bpf = sampler->skels[0];
	const struct stack_maps maps = {
		.kernel = bpf_map__fd(bpf->maps.kernel_stacks),
		.user = bpf_map__fd(bpf->maps.user_stacks),
		.user_too = bpf_map__fd(bpf->maps.user_stacks_too),
	};

	return profile_stacks__read(profile->stacks, profile->samples, &maps);
}

int profile_sampler__read(const struct profile_sampler *sampler, struct profile *profile)
{
	int err = sample_table__read(profile->samples, bpf_map__fd(samples_map(sampler)));

	if (!err && profile->stacks)
		err = read_stacks(sampler, profile);
	for (int event = 0; !err && event < profile->nr_events; event++)
		err = read_event(sampler, event, &profile->total[event]);
	return reason__set(sampler->target.group->why, err, "the samples cannot be read: %s",
			   strerror(-err));
}
