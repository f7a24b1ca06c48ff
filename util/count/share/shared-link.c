// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/shared-link.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/trusted-path.h"
#include "util/event/evsel.h"

int shared_link__refuse(uint32_t id, const struct shared_link_kind *kind, const char *reason,
			struct strbuf *why)
{
	return reason__set(why, -EINVAL, "link %u is not a %s: %s", id, kind->what, reason);
}

static int check_prog(uint32_t id, const struct shared_link_kind *kind, struct shared_link *link,
		      struct strbuf *why)
{
	struct bpf_prog_info info = { .nr_map_ids = SHARED_LINK_MAPS,
				      .map_ids = (__u64)(unsigned long)link->map_ids };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(link->prog_fd, &info, &len))
		return shared_link__refuse(id, kind, strerror(errno), why);
	if (info.type != kind->prog_type || strcmp(info.name, kind->prog) != 0)
		return shared_link__refuse(id, kind, "it runs a different program", why);
	if (!info.btf_id)
		return shared_link__refuse(id, kind,
					   "its program has no BTF, so no follower can be attached "
					   "to it",
					   why);
	if (info.created_by_uid && info.created_by_uid != geteuid())
		return reason__set(
			why, TRUSTED_PATH_REFUSED,
			"link %u is not trusted: another user has loaded its program (uid %u)", id,
			info.created_by_uid);
	link->nr_maps = info.nr_map_ids < SHARED_LINK_MAPS ? info.nr_map_ids : SHARED_LINK_MAPS;
	return 0;
}

static int check_link(uint32_t id, const struct shared_link_kind *kind, struct shared_link *link,
		      struct strbuf *why)
{
	char tracepoint[64] = "";
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	info.raw_tracepoint.tp_name = (__u64)(unsigned long)tracepoint;
	info.raw_tracepoint.tp_name_len = sizeof(tracepoint);
	if (bpf_obj_get_info_by_fd(link->fd, &info, &len))
		return shared_link__refuse(id, kind, strerror(errno), why);
	if (info.type != BPF_LINK_TYPE_RAW_TRACEPOINT || strcmp(tracepoint, kind->tracepoint) != 0)
		return shared_link__refuse(id, kind, "it is attached to something else", why);
	link->prog_fd = bpf_prog_get_fd_by_id(info.prog_id);
	if (link->prog_fd < 0)
		return shared_link__refuse(id, kind, strerror(errno), why);
	return check_prog(id, kind, link, why);
}

static void close_link(struct shared_link *link)
{
	if (link->prog_fd >= 0)
		close(link->prog_fd);
	close(link->fd);
	link->fd = link->prog_fd = -1;
}

static int open_link(uint32_t id, const struct shared_link_kind *kind, struct shared_link *link,
		     struct strbuf *why)
{
	int err;

	*link = (struct shared_link){ .fd = bpf_link_get_fd_by_id(id), .prog_fd = -1 };
	if (link->fd < 0) {
		err = -errno;
		if (err != -ENOENT)
			strbuf__addf(why, "link %u cannot be opened: %s", id, strerror(-err));
		return err;
	}
	err = check_link(id, kind, link, why);
	if (err)
		close_link(link);
	return err;
}

uint32_t shared_link__id(int fd)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	return fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

uint32_t shared_link__prog(uint32_t id)
{
	int fd = bpf_link_get_fd_by_id(id);
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	if (fd < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		info.prog_id = 0;
	close(fd);
	return info.prog_id;
}

int shared_link__find(uint32_t id)
{
	int fd = bpf_link_get_fd_by_id(id);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

bool shared_link__is_gone(uint32_t id)
{
	return shared_link__find(id) == -ENOENT;
}

/* ---- the maps of a leader ---- */

static bool has_values(const struct bpf_map_info *info, size_t value_size, uint64_t nr)
{
	return info->value_size == value_size && info->max_entries == nr;
}

bool shared_map__has_values(int fd, size_t value_size, uint64_t nr)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(fd, &info, &len) && has_values(&info, value_size, nr);
}

static bool is_map(const struct bpf_map_info *info, const struct shared_map *map)
{
	if (map->name ? strcmp(info->name, map->name) != 0 : info->id != map->id)
		return false;
	return info->type == map->type &&
	       (!map->value_size || has_values(info, map->value_size, 1));
}

static void open_maps(const struct shared_link *link, const struct shared_map *maps, size_t nr)
{
	for (uint32_t i = 0; i < link->nr_maps; i++) {
		int fd = bpf_map_get_fd_by_id(link->map_ids[i]);
		struct bpf_map_info info = {};
		__u32 len = sizeof(info);
		size_t at = 0;

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &len))
			at = nr;
		while (at < nr && !is_map(&info, &maps[at]))
			at++;
		if (at < nr && *maps[at].fd < 0)
			*maps[at].fd = fd;
		else
			close(fd);
	}
}

int shared_link__open_leader(const uint32_t *ids, const struct shared_link_kind *kinds, int nr,
			     struct shared_link *links, const struct shared_map *maps,
			     size_t nr_maps, struct strbuf *why)
{
	for (int i = 0; i < nr; i++) {
		int err = open_link(ids[i], &kinds[i], &links[i], why);

		while (err && i--)
			close_link(&links[i]);
		if (err)
			return err;
	}
	for (int i = 0; i < nr; i++)
		open_maps(&links[i], maps, nr_maps);
	return 0;
}

const char *shared_link__why_not(const struct evsel *evsel)
{
	if (evsel__is_grouped(evsel))
		return "events in a group are not shared";
	if (evsel->filter)
		return "events with a filter are not shared";
	return evsel->symbol_file ? "breakpoints on symbols are not shared" : NULL;
}
