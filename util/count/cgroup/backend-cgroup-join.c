// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/backend-cgroup-join.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "util/base/reason.h"
#include "util/count/cgroup/backend-cgroup-load.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/count/share/shared-link.h"

#define NR_LINKS 2

static const struct shared_link_kind kinds[NR_LINKS] = {
	{
		.what = "leader of cgroups",
		.tracepoint = "sched_switch",
		.prog = "on_switch",
		.prog_type = BPF_PROG_TYPE_TRACING,
	},
	{
		.what = "leader of cgroups",
		.tracepoint = "cgroup_attach_task",
		.prog = "on_move",
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	},
};

static int refuse(struct strbuf *why, uint32_t link_id, const char *what)
{
	return shared_link__refuse(link_id, &kinds[0], what, why);
}

static int open_leader(struct cgroup_object *object, const struct cgroup_links *links,
		       struct strbuf *why)
{
	const uint32_t ids[NR_LINKS] = { links->on_switch, links->on_move };
	struct shared_link link[NR_LINKS];
	struct cgroup_maps *to = &object->maps;
	const struct shared_map maps[] = {
		{ "slots", 0, BPF_MAP_TYPE_HASH, 0, &to->slots },
		{ "cpus", 0, BPF_MAP_TYPE_ARRAY, 0, &to->cpus },
		{ "rows", 0, BPF_MAP_TYPE_ARRAY, 0, &to->rows },
		{ "wakeups", 0, BPF_MAP_TYPE_RINGBUF, 0, &to->wakeups },
		{ "info", 0, BPF_MAP_TYPE_ARRAY, sizeof(struct cgroup_info), &to->info },
		{ "members", 0, BPF_MAP_TYPE_ARRAY, 0, &to->members },
		{ ".data.control", 0, BPF_MAP_TYPE_ARRAY, sizeof(struct cgroup_control),
		  &to->control },
		{ "events", 0, BPF_MAP_TYPE_PERF_EVENT_ARRAY, 0, &object->events_fd },
	};
	int err = shared_link__open_leader(ids, kinds, NR_LINKS, link, maps,
					   sizeof(maps) / sizeof(maps[0]), why);

	if (err)
		return err;
	object->switch_fd = link[0].fd;
	close(link[0].prog_fd);
	object->move_fd = link[1].fd;
	object->flush_fd = link[1].prog_fd;
	return 0;
}

/*
 * Returns whether the maps `cpus`, `rows`, `members` and `slots` have the sizes that the leader's
 * description (object->sizes) requires. If they do not, it is not safe to use the leader.
 */
static bool has_shapes(const struct cgroup_object *object)
{
	const struct cgroup_sizes *sizes = &object->sizes;
	const struct cgroup_maps *maps = &object->maps;
	size_t row_size = sizes->nr_cells * sizeof(uint64_t);

	return shared_map__has_values(maps->cpus, cgroup_sizes__cpu_size(sizes), sizes->nr_cpus) &&
	       shared_map__has_values(maps->rows, row_size,
				      (uint64_t)sizes->nr_cpus * sizes->nr_slots) &&
	       shared_map__has_values(maps->members, sizeof(struct cgroup_member),
				      sizes->nr_slots) &&
	       shared_map__has_values(maps->slots, sizeof(uint32_t), sizes->nr_slots);
}

static int read_info(struct cgroup_object *object, uint32_t id, struct cgroup_info *info,
		     struct strbuf *why)
{
	const struct cgroup_maps *maps = &object->maps;
	__u32 zero = 0;

	if (maps->slots < 0 || maps->cpus < 0 || maps->rows < 0 || maps->wakeups < 0 ||
	    maps->control < 0 || maps->info < 0 || maps->members < 0 || object->events_fd < 0)
		return refuse(why, id, "it lacks a map");
	if (bpf_map_lookup_elem(maps->info, &zero, info))
		return refuse(why, id, strerror(errno));
	if (info->version != CGROUP_INFO_VERSION)
		return refuse(why, id, "another version of pstat made it");
	if (!cgroup_plan__is_sound(info))
		return refuse(why, id, "its description of its events is not valid");
	object->sizes = (struct cgroup_sizes){ .nr_plain = info->nr_plain,
					       .nr_timed = info->nr_timed,
					       .nr_cells = info->nr_cells,
					       .nr_cpus = info->nr_cpus,
					       .nr_slots = info->nr_slots,
					       .v1 = info->v1,
					       .shared = true };
	if (!has_shapes(object))
		return refuse(why, id, "its maps do not have the sizes in its description");
	return 0;
}

static int join(struct cgroup_object *object, const struct cgroup_links *links,
		struct cgroup_info *info, struct strbuf *why)
{
	int err = open_leader(object, links, why);

	err = err ?: read_info(object, links->on_switch, info, why);
	if (err)
		return err;
	err = cgroup_object__map(object);
	return reason__set(why, err, "link %u: its maps cannot be mapped: %s", links->on_switch,
			   strerror(-err));
}

int cgroup_join__open(struct cgroup_object *object, const struct cgroup_links *links,
		      struct cgroup_info *info, struct strbuf *why)
{
	int err;

	*object = (struct cgroup_object)CGROUP_OBJECT_INIT;
	err = join(object, links, info, why);
	if (err)
		cgroup_object__close(object);
	return err;
}

struct cgroup_links cgroup_join__links(const struct cgroup_object *object)
{
	return (struct cgroup_links){ .on_switch = shared_link__id(object->switch_fd),
				      .on_move = shared_link__id(object->move_fd) };
}
