// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/open-denied.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/privileges.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/fd/event-open.h"
#include "util/event/evsel.h"

/* Returns false if the file cannot be read. */
static bool read_paranoid(long *level)
{
	char text[32], *end;

	if (sysfs__read(sysroots__host()->procfs, "sys/kernel/perf_event_paranoid", text,
			sizeof(text)) <= 0)
		return false;
	*level = strtol(text, &end, 10);
	return !*end;
}

void open_denied__why(struct strbuf *sb)
{
	long level;

	if (privileges__are_filtered() && privileges__allow_events()) {
		strbuf__adds(sb, "this user has the privilege to count, but a seccomp filter "
				 "probably refuses perf_event_open");
		return;
	}
	strbuf__adds(sb, "not allowed for this user: ");
	if (read_paranoid(&level))
		strbuf__addf(sb, "kernel.perf_event_paranoid is %ld", level);
	else
		strbuf__adds(sb, "see /proc/sys/kernel/perf_event_paranoid");
}

/* The owner of a task's files in /proc is the user who may trace it (ptrace(2)). */
static bool is_another_users(pid_t tid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%d", sysroots__tasks(sysroots__host()), tid);
	return tid > 0 && !stat(path, &st) && st.st_uid != geteuid();
}

/*
 * The highest kernel.perf_event_paranoid that allows @evsel
 * (Documentation/admin-guide/sysctl/kernel.rst).
 */
static long highest_level(const struct evsel *evsel, const struct event_place *at)
{
	if (at->cpu >= 0)
		return 0;
	return evsel->attr.attr.exclude_kernel || event_open__may_drop_kernel(evsel, -EACCES) ? 2 :
												1;
}

void open_denied__advice(struct strbuf *sb, const struct evsel *evsel, const struct event_place *at)
{
	bool is_task = !(at->flags & PERF_FLAG_PID_CGROUP) && is_another_users(at->pid);
	long level, highest = highest_level(evsel, at);

	if (privileges__are_filtered() && privileges__allow_events()) {
		strbuf__adds(
			sb,
			"allow perf_event_open in the seccomp profile of the container or service");
		return;
	}
	if (is_task)
		strbuf__addf(sb, "task %d is another user's: run it as that one or as root",
			     at->pid);
	else
		strbuf__addf(sb, "run it as root or with CAP_PERFMON%s",
			     privileges__are_filtered() ?
				     " and without the seccomp filter that this process has" :
				     "");
	if (is_task || !read_paranoid(&level))
		return;
	if (level <= highest)
		strbuf__addf(sb,
			     "; a level of %ld allows it: a container or a security module may not",
			     level);
	else if (highest == 1 && level == 2)
		strbuf__adds(sb, ", or count user space only (:u)");
	else
		strbuf__addf(sb, ", or allow it to users (sysctl kernel.perf_event_paranoid=%ld)",
			     highest);
}
