// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/gate-links.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "util/base/reason.h"
#include "util/count/gate.h"
#include "util/count/share/scope-links.h"
#include "util/machine/scope/scope.h"

struct gate_links {
	struct scope_links points;
	struct ring_buffer *messages;
};

int gate_links__prepare(struct bpf_program *prog, bool on)
{
	int err = bpf_program__set_autoload(prog, on);

	if (!err && on && scope_links__have_multi())
		err = bpf_program__set_expected_attach_type(
			prog, (enum bpf_attach_type)SCOPE_TRACE_UPROBE_MULTI);
	return err;
}

/* A ring_buffer_sample_fn that does nothing, because the messages have no data. */
static int ignore(void *ctx, void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return 0;
}

static bool is_in_file(const struct scope_point *point)
{
	return point->kind == POINT_UPROBE || point->kind == POINT_USDT;
}

static int attach_point(struct gate_links *links, const struct bpf_program *prog,
			const struct scope_file *file, const struct scope_point *point,
			uint64_t cookie, struct strbuf *why)
{
	bool multi = bpf_program__expected_attach_type(prog) ==
		     (enum bpf_attach_type)SCOPE_TRACE_UPROBE_MULTI;
	uint64_t offset = point->offset, ref_ctr_offset = point->ref_ctr_offset;
	char path[64];
	struct scope_uprobes uprobes = {
		.option = cookie == GATE_STOP ? "--stop" : "--start",
		.path = path,
		.at_return = point->at_return,
		.nr = 1,
		.offsets = &offset,
		.ref_ctr_offsets = &ref_ctr_offset,
		.cookies = &cookie,
	};

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	return scope_links__add_uprobes(&links->points, bpf_program__fd(prog), multi, &uprobes,
					file->path, why);
}

static int attach_points(struct gate_links *links, const struct bpf_program *prog,
			 const struct gate_points *points, bool stop, struct strbuf *why)
{
	const struct scope_point *list = stop ? points->stop : points->start;
	int nr = stop ? points->nr_stop : points->nr_start, err = 0;

	for (int i = 0; !err && i < nr; i++) {
		if (!is_in_file(&list[i]))
			return reason__set(why, -EOPNOTSUPP,
					   "%s: %s: pstat starts and stops only at points of kind "
					   "uprobe and usdt, not %s",
					   stop ? "--stop" : "--start", list[i].name,
					   point_kind__name(list[i].kind));
		err = attach_point(links, prog, &points->files->files[list[i].file], &list[i],
				   stop ? GATE_STOP : GATE_START, why);
	}
	return err;
}

int gate_links__attach(struct bpf_program *prog, int changed_fd, const struct gate_points *points,
		       struct gate_links **out, struct strbuf *why)
{
	struct gate_links *links = calloc(1, sizeof(*links));
	int err;

	*out = links;
	if (!links)
		return -ENOMEM;
	if (changed_fd >= 0)
		links->messages = ring_buffer__new(changed_fd, ignore, NULL, NULL);
	if (changed_fd >= 0 && !links->messages) {
		err = -errno;
		return reason__set(why, err, "--start: cannot wait for the points: %s",
				   strerror(-err));
	}
	err = attach_points(links, prog, points, true, why);
	return err ?: attach_points(links, prog, points, false, why);
}

int gate_links__wake_fd(const struct gate_links *links)
{
	return links ? ring_buffer__epoll_fd(links->messages) : -1;
}

int gate_links__wake_for(const struct gate_links *links, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (fd < 0)
		return 0;
	return epoll_ctl(gate_links__wake_fd(links), EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

void gate_links__drain(struct gate_links *links)
{
	ring_buffer__consume(links->messages);
}

void gate_links__free(struct gate_links *links)
{
	if (!links)
		return;
	scope_links__free(&links->points);
	ring_buffer__free(links->messages);
	free(links);
}
