// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/event-open.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "perf-sys.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/evsel.h"

#define RULE "------------------------------------------------------------\n"

static void add(struct strbuf *sb, const char *name, uint64_t value, bool hex)
{
	if (value)
		strbuf__addf(sb, hex ? "  %-32s 0x%" PRIx64 "\n" : "  %-32s %" PRIu64 "\n", name,
			     value);
}

#define NUMBER(field) add(sb, #field, attr->field, false)
#define HEX(field) add(sb, #field, attr->field, true)

static void add_flags(struct strbuf *sb, const struct perf_event_attr *attr)
{
	NUMBER(disabled);
	NUMBER(inherit);
	NUMBER(pinned);
	NUMBER(exclusive);
	NUMBER(exclude_user);
	NUMBER(exclude_kernel);
	NUMBER(exclude_hv);
	NUMBER(exclude_idle);
	NUMBER(freq);
	NUMBER(enable_on_exec);
	NUMBER(watermark);
	NUMBER(precise_ip);
	NUMBER(sample_id_all);
	NUMBER(exclude_host);
	NUMBER(exclude_guest);
	NUMBER(use_clockid);
}

static void add_attr(struct strbuf *sb, const union perf_attr *with_tail)
{
	const struct perf_event_attr *attr = &with_tail->attr;

	/* print type and config even if they are 0 */
	strbuf__addf(sb, "  %-32s %u\n", "type", attr->type);
	NUMBER(size);
	strbuf__addf(sb, "  %-32s 0x%llx\n", "config", attr->config);
	add(sb, attr->freq ? "sample_freq" : "sample_period", attr->sample_period, false);
	HEX(sample_type);
	HEX(read_format);
	add_flags(sb, attr);
	/* the fields of a breakpoint share memory with config1 and config2 */
	if (attr->type == PERF_TYPE_BREAKPOINT) {
		NUMBER(bp_type);
		HEX(bp_addr);
		NUMBER(bp_len);
	} else {
		HEX(config1);
		HEX(config2);
	}
	add(sb, "config3", with_tail->v8.config3, true);
}

/*
 * With -vv, prints one call of perf_event_open(2) in the format of perf stat -vv: the nonzero
 * fields of @attr, the other arguments, and the returned fd or -errno.
 */
static void log_open(const union perf_attr *attr, const struct event_place *place, int fd)
{
	struct strbuf sb = STRBUF_INIT;

	if (!log__enabled(LOG_DEBUG))
		return;
	strbuf__adds(&sb, RULE "perf_event_attr:\n");
	add_attr(&sb, attr);
	strbuf__addf(&sb,
		     RULE "sys_perf_event_open: pid %d  cpu %d  group_fd %d  flags %#lx = %d%s%s\n",
		     place->pid, place->cpu, place->group_fd, place->flags | PERF_FLAG_FD_CLOEXEC,
		     fd, fd < 0 ? " " : "", fd < 0 ? strerror(-fd) : "");
	log__plain_at(LOG_DEBUG, "%s", sb.text);
	strbuf__free(&sb);
}

static int open_and_log(union perf_attr *attr, const struct event_place *place)
{
	int fd = perf_sys__open(attr, place->pid, place->cpu, place->group_fd, place->flags);

	log_open(attr, place, fd);
	return fd;
}

int event_open(const struct evsel *evsel, union perf_attr *attr, const struct event_place *place)
{
	int fd = open_and_log(attr, place);

	if (fd == -EINVAL && attr->attr.exclude_guest && !evsel->guest_host_given) {
		attr->attr.exclude_guest = 0;
		fd = open_and_log(attr, place);
		if (fd == -EINVAL) /* exclude_guest was not the reason for the error */
			attr->attr.exclude_guest = 1;
	}
	if (fd == -EOPNOTSUPP && !attr->attr.exclude_guest && !evsel->guest_host_given) {
		attr->attr.exclude_guest = 1;
		fd = open_and_log(attr, place);
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

/*
 * The kernel returns EINVAL if the attr differs from the attr of the event in a field other than
 * `disabled` and the address, type and length of the breakpoint. event_open() may have changed
 * exclude_guest, so this function tries both values.
 */
int event_open__move(int fd, const union perf_attr *attr)
{
	union perf_attr as_opened = *attr;
	int err = perf_sys__modify(fd, &as_opened);

	if (err != -EINVAL)
		return err;
	as_opened.attr.exclude_guest = !as_opened.attr.exclude_guest;
	return perf_sys__modify(fd, &as_opened);
}
