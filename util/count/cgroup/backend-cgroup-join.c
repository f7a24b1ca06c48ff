// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/backend-cgroup-join.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/base/trusted-path.h"
#include "util/count/cgroup/backend-cgroup-load.h"
#include "util/count/cgroup/cgroup-plan.h"

/* that a leader's program may have */
#define MAPS_MAX 32

static int refuse(struct strbuf *why, uint32_t link_id, const char *what)
{
	strbuf__addf(why, "link %u is no leader of control groups: %s", link_id, what);
	return -EINVAL;
}

/* What a link has to be. */
struct expected {
	const char *tracepoint, *prog;
	uint32_t type;
};

/* The link of that id and its program, if they are what they shall be; -ENOENT when the link is gone. */
static int open_link(uint32_t id, const struct expected *expected, int *link_fd, int *prog_fd,
		     struct bpf_prog_info *info, struct strbuf *why)
{
	struct bpf_link_info link = {};
	char tracepoint[64] = "";
	__u32 len = sizeof(link);

	*link_fd = bpf_link_get_fd_by_id(id);
	if (*link_fd < 0)
		return -errno;
	link.raw_tracepoint.tp_name = (__u64)(unsigned long)tracepoint;
	link.raw_tracepoint.tp_name_len = sizeof(tracepoint);
	if (bpf_obj_get_info_by_fd(*link_fd, &link, &len))
		return refuse(why, id, strerror(errno));
	if (link.type != BPF_LINK_TYPE_RAW_TRACEPOINT || strcmp(tracepoint, expected->tracepoint) != 0)
		return refuse(why, id, "it is attached to something else");
	*prog_fd = bpf_prog_get_fd_by_id(link.prog_id);
	len = sizeof(*info);
	if (*prog_fd < 0 || bpf_obj_get_info_by_fd(*prog_fd, info, &len))
		return refuse(why, id, strerror(errno));
	if (info->type != expected->type || strcmp(info->name, expected->prog) != 0)
		return refuse(why, id, "its program is another");
	if (info->created_by_uid && info->created_by_uid != geteuid()) {
		strbuf__addf(why, "link %u is not trusted: user %u has loaded its program", id, info->created_by_uid);
		return TRUSTED_PATH_REFUSED;
	}
	return 0;
}

/* Keeps the fd of a map if it is of use. */
static void sort_map(struct cgroup_object *object, int fd)
{
	struct cgroup_maps *maps = &object->maps;
	const struct {
		const char *name;
		uint32_t type;
		int *place;
	} known[] = {
		{ "slots", BPF_MAP_TYPE_HASH, &maps->slots },
		{ "cpus", BPF_MAP_TYPE_ARRAY, &maps->cpus },
		{ "rows", BPF_MAP_TYPE_ARRAY, &maps->rows },
		{ "wakeups", BPF_MAP_TYPE_RINGBUF, &maps->wakeups },
		{ "info", BPF_MAP_TYPE_ARRAY, &maps->info },
		{ "members", BPF_MAP_TYPE_ARRAY, &maps->members },
		{ ".data.control", BPF_MAP_TYPE_ARRAY, &maps->control },
		{ "events", BPF_MAP_TYPE_PERF_EVENT_ARRAY, &object->events_fd },
	};
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int *place = NULL;

	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (info.type == known[i].type && !strcmp(info.name, known[i].name))
				place = known[i].place;
	if (place && *place < 0)
		*place = fd;
	else
		close(fd);
}

static void sort_maps(struct cgroup_object *object, const __u32 *ids, __u32 nr)
{
	for (__u32 i = 0; i < nr && i < MAPS_MAX; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		if (fd >= 0)
			sort_map(object, fd);
	}
}

static bool has_shape(int fd, size_t value_size, uint64_t entries)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(fd, &info, &len) && info.value_size == value_size && info.max_entries == entries;
}

/* Is each map as large as the leader's own words say? What is mapped is then there. */
static bool has_shapes(const struct cgroup_object *object)
{
	const struct cgroup_sizes *sizes = &object->sizes;
	const struct cgroup_maps *maps = &object->maps;
	size_t row_size = sizes->nr_cells * sizeof(uint64_t);

	return has_shape(maps->cpus, cgroup_sizes__cpu_size(sizes), sizes->nr_cpus) &&
	       has_shape(maps->rows, row_size, (uint64_t)sizes->nr_cpus * sizes->nr_slots) &&
	       has_shape(maps->members, sizeof(struct cgroup_member), sizes->nr_slots) &&
	       has_shape(maps->slots, sizeof(uint32_t), sizes->nr_slots) &&
	       has_shape(maps->control, sizeof(struct cgroup_control), 1);
}

static int read_info(struct cgroup_object *object, uint32_t id, struct cgroup_info *info, struct strbuf *why)
{
	const struct cgroup_maps *maps = &object->maps;
	__u32 zero = 0;

	if (maps->slots < 0 || maps->cpus < 0 || maps->rows < 0 || maps->wakeups < 0 || maps->control < 0 ||
	    maps->info < 0 || maps->members < 0 || object->events_fd < 0 || !has_shape(maps->info, sizeof(*info), 1))
		return refuse(why, id, "it lacks a map");
	if (bpf_map_lookup_elem(maps->info, &zero, info))
		return refuse(why, id, strerror(errno));
	if (info->version != CGROUP_INFO_VERSION)
		return refuse(why, id, "another version of pstat has made it");
	if (!cgroup_plan__is_sound(info))
		return refuse(why, id, "what it says of its events makes no sense");
	object->sizes = (struct cgroup_sizes){ .nr_plain = info->nr_plain,
					       .nr_timed = info->nr_timed,
					       .nr_cells = info->nr_cells,
					       .nr_cpus = info->nr_cpus,
					       .nr_slots = info->nr_slots,
					       .v1 = info->v1,
					       .shared = true };
	if (!has_shapes(object))
		return refuse(why, id, "its maps are not of the size that it says");
	return 0;
}

static int join(struct cgroup_object *object, const struct cgroup_links *links, struct cgroup_info *info,
		struct strbuf *why)
{
	const struct expected on_switch = { "sched_switch", "on_switch", BPF_PROG_TYPE_TRACING };
	const struct expected on_move = { "cgroup_attach_task", "on_move", BPF_PROG_TYPE_RAW_TRACEPOINT };
	__u32 ids[2][MAPS_MAX];
	struct bpf_prog_info progs[2] = {
		{ .nr_map_ids = MAPS_MAX, .map_ids = (__u64)(unsigned long)ids[0] },
		{ .nr_map_ids = MAPS_MAX, .map_ids = (__u64)(unsigned long)ids[1] },
	};
	int prog_fd = -1, err;

	err = open_link(links->on_switch, &on_switch, &object->switch_fd, &prog_fd, &progs[0], why);
	err = err ?: open_link(links->on_move, &on_move, &object->move_fd, &object->settle_fd, &progs[1], why);
	if (prog_fd >= 0)
		close(prog_fd);
	for (int i = 0; !err && i < 2; i++)
		sort_maps(object, ids[i], progs[i].nr_map_ids);
	err = err ?: read_info(object, links->on_switch, info, why);
	if (!err) {
		err = cgroup_object__map(object);
		if (err)
			strbuf__addf(why, "link %u: its maps cannot be mapped: %s", links->on_switch, strerror(-err));
	}
	return err;
}

int cgroup_object__join(struct cgroup_object *object, const struct cgroup_links *links, struct cgroup_info *info,
			struct strbuf *why)
{
	int err;

	*object = (struct cgroup_object)CGROUP_OBJECT_INIT;
	err = join(object, links, info, why);
	if (err)
		cgroup_object__close(object);
	return err;
}

static uint32_t link_id_of(int fd)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

struct cgroup_links cgroup_object__links(const struct cgroup_object *object)
{
	return (struct cgroup_links){ .on_switch = link_id_of(object->switch_fd),
				      .on_move = link_id_of(object->move_fd) };
}
