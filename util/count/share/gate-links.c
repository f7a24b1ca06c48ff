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
#include "util/count/share/scope-kernel.h"
#include "util/count/share/scope-links.h"
#include "util/machine/scope/scope.h"

struct gate_links {
	struct scope_links points;
	struct ring_buffer *messages;
};

static bool is_tracepoint(const struct scope_point *point)
{
	return point->kind == POINT_TP || point->kind == POINT_SYSCALL;
}

static struct bpf_program *program_of(const struct gate_programs *programs,
				      const struct scope_point *point)
{
	return is_tracepoint(point)	 ? programs->tp :
	       point->kind == POINT_FUNC ? programs->func :
					   programs->user;
}

/* Returns whether any of @points needs the program @which. */
static bool needs(const struct gate_programs *programs, const struct gate_points *points,
		  const struct bpf_program *which)
{
	for (int i = 0; points && i < points->nr_start; i++)
		if (program_of(programs, &points->start[i]) == which)
			return true;
	for (int i = 0; points && i < points->nr_stop; i++)
		if (program_of(programs, &points->stop[i]) == which)
			return true;
	return false;
}

int gate_links__prepare(const struct gate_programs *programs, const struct gate_points *points)
{
	bool user = needs(programs, points, programs->user);
	bool func = needs(programs, points, programs->func);
	int err = bpf_program__set_autoload(programs->user, user);

	err = err ?: bpf_program__set_autoload(programs->func, func);
	err = err ?: bpf_program__set_autoload(programs->tp, needs(programs, points, programs->tp));
	if (!err && user && scope_links__have_multi())
		err = bpf_program__set_expected_attach_type(
			programs->user, (enum bpf_attach_type)SCOPE_TRACE_UPROBE_MULTI);
	if (!err && func && scope_kernel__have_links(FUNC_LINKS_MULTI))
		err = bpf_program__set_expected_attach_type(programs->func, BPF_TRACE_KPROBE_MULTI);
	return err;
}

static int test_functions(const struct scope_point *list, int nr, const char *option,
			  struct strbuf *why)
{
	for (int i = 0; i < nr; i++)
		if (list[i].kind == POINT_FUNC)
			return scope_kernel__check(scope_kernel__have_links(FUNC_LINKS_MULTI) ?
							   FUNC_LINKS_MULTI :
							   FUNC_LINKS_EVENTS,
						   option, why);
	return 0;
}

int gate_links__test(const struct gate_points *points, struct strbuf *why)
{
	int err = points ? test_functions(points->start, points->nr_start, "--start", why) : 0;

	return err || !points ? err : test_functions(points->stop, points->nr_stop, "--stop", why);
}

/* A ring_buffer_sample_fn that does nothing, because the content of a message has no meaning. */
static int ignore(void *ctx, void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return 0;
}

/* What attach_points() needs to attach the points of one option (--start or --stop). */
struct attaching {
	struct gate_links *links;
	const struct gate_programs *programs;
	const struct gate_points *points;
	bool stop;
	struct strbuf *why;
};

static const char *option_of(const struct attaching *how)
{
	return how->stop ? "--stop" : "--start";
}

static int attach_user(const struct attaching *how, const struct scope_point *point)
{
	const struct bpf_program *prog = how->programs->user;
	const struct scope_file *file = &how->points->files->files[point->file];
	bool multi = bpf_program__expected_attach_type(prog) ==
		     (enum bpf_attach_type)SCOPE_TRACE_UPROBE_MULTI;
	uint64_t offset = point->offset, ref_ctr_offset = point->ref_ctr_offset;
	uint64_t cookie = how->stop ? GATE_STOP : GATE_START;
	char path[64];
	struct scope_uprobes uprobes = {
		.option = option_of(how),
		.path = path,
		.at_return = point->at_return,
		.nr = 1,
		.offsets = &offset,
		.ref_ctr_offsets = &ref_ctr_offset,
		.cookies = &cookie,
	};

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	return scope_links__add_uprobes(&how->links->points, bpf_program__fd(prog), multi, &uprobes,
					file->path, how->why);
}

static int attach_function(const struct attaching *how, const struct scope_point *point)
{
	const struct bpf_program *prog = how->programs->func;
	enum scope_func_links links = bpf_program__expected_attach_type(prog) ==
						      BPF_TRACE_KPROBE_MULTI ?
					      FUNC_LINKS_MULTI :
					      FUNC_LINKS_EVENTS;
	uint64_t address = point->address, cookie = how->stop ? GATE_STOP : GATE_START;
	const char *name = point->func;
	const struct scope_functions function = {
		.option = option_of(how),
		.at_return = point->at_return,
		.nr = 1,
		.names = &name,
		.addresses = address ? &address : NULL,
		.cookies = &cookie,
	};
	int err = scope_kernel__check(links, function.option, how->why);

	return err   ?:
		       scope_kernel__add_functions(&how->links->points, bpf_program__fd(prog),
						   links, &function, how->why);
}

/*
 * Returns whether an earlier point in @list is the same tracepoint as list[nr]. The kernel refuses
 * to attach a program to a tracepoint twice.
 */
static bool is_attached(const struct scope_point *list, int nr)
{
	for (int i = 0; i < nr; i++)
		if (is_tracepoint(&list[i]) && list[i].tp_id == list[nr].tp_id)
			return true;
	return false;
}

static int attach_tp(const struct attaching *how, const struct scope_point *list, int number)
{
	const struct scope_tracepoint tracepoint = {
		.option = option_of(how),
		.name = list[number].name,
		.id = list[number].tp_id,
		.cookie = how->stop ? GATE_STOP : GATE_START,
	};

	if (is_attached(list, number))
		return 0;
	return scope_kernel__add_tp(&how->links->points, bpf_program__fd(how->programs->tp),
				    &tracepoint, how->why);
}

static int attach_points(const struct attaching *how)
{
	const struct scope_point *list = how->stop ? how->points->stop : how->points->start;
	int nr = how->stop ? how->points->nr_stop : how->points->nr_start, err = 0;

	for (int i = 0; !err && i < nr; i++) {
		const struct bpf_program *prog = program_of(how->programs, &list[i]);

		if (prog == how->programs->tp)
			err = attach_tp(how, list, i);
		else if (prog == how->programs->func)
			err = attach_function(how, &list[i]);
		else
			err = attach_user(how, &list[i]);
	}
	return err;
}

int gate_links__attach(const struct gate_programs *programs, int changed_fd,
		       const struct gate_points *points, struct gate_links **out,
		       struct strbuf *why)
{
	struct gate_links *links = calloc(1, sizeof(*links));
	struct attaching how = {
		.links = links, .programs = programs, .points = points, .stop = true, .why = why
	};
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
	err = attach_points(&how);
	how.stop = false;
	return err ?: attach_points(&how);
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
