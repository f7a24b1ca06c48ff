// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/event-open.h"

#include <errno.h>

#include "perf-sys.h"
#include "util/count/fd/event-open-log.h"
#include "util/event/evsel.h"

static int open_and_tell(union perf_attr *attr, const struct event_place *place)
{
	int fd = perf_sys__open(attr, place->pid, place->cpu, place->group_fd, place->flags);

	event_open_log__tell(attr, place, fd);
	return fd;
}

int event_open(const struct evsel *evsel, union perf_attr *attr, const struct event_place *place)
{
	int fd = open_and_tell(attr, place);

	if (fd == -EINVAL && attr->attr.exclude_guest && !evsel->guest_host_given) {
		attr->attr.exclude_guest = 0;
		fd = open_and_tell(attr, place);
		if (fd == -EINVAL) /* exclude_guest was not the reason */
			attr->attr.exclude_guest = 1;
	}
	if (fd == -EOPNOTSUPP && !attr->attr.exclude_guest && !evsel->guest_host_given) {
		attr->attr.exclude_guest = 1;
		fd = open_and_tell(attr, place);
	}
	return fd;
}

bool event_open__may_drop_kernel(const struct evsel *evsel, int err)
{
	return err == -EACCES && !evsel->exclude_given && !evsel->attr.attr.exclude_kernel;
}

bool event_open__dropped_guests(const struct evsel *evsel, const union perf_attr *attr)
{
	return attr->attr.exclude_guest && !evsel->attr.attr.exclude_guest;
}

/* The kernel compares the whole attr, and event_open() may have cleared exclude_guest. */
int event_open__move(int fd, const union perf_attr *attr)
{
	union perf_attr as_opened = *attr;
	int err = perf_sys__modify(fd, &as_opened);

	if (err != -EINVAL)
		return err;
	as_opened.attr.exclude_guest = !as_opened.attr.exclude_guest;
	return perf_sys__modify(fd, &as_opened);
}
