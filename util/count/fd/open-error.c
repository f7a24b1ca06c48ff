// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/open-error.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
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

/* ---- why a user may not open an event, and what to do ---- */

/* Reads kernel.perf_event_paranoid. Returns false if the file cannot be read. */
static bool read_paranoid(long *level)
{
	char text[32], *end;

	if (sysfs__read(sysroots__host()->procfs, "sys/kernel/perf_event_paranoid", text,
			sizeof(text)) <= 0)
		return false;
	*level = strtol(text, &end, 10);
	return !*end;
}

/*
 * Adds to @sb the reason why the kernel refused to open an event: kernel.perf_event_paranoid, or
 * (this is a guess) a seccomp filter.
 */
static void add_denied(struct strbuf *sb)
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

/*
 * Returns whether the task belongs to another user. Checks the owner of the task's files in /proc,
 * because without privileges, only this owner may trace the task (ptrace(2)) and therefore count
 * it.
 */
static bool is_another_users(pid_t tid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%d", sysroots__tasks(sysroots__host()), tid);
	return tid > 0 && !stat(path, &st) && st.st_uid != geteuid();
}

/*
 * Returns the highest value of kernel.perf_event_paranoid that lets every user open @evsel for the
 * CPU, task or cgroup @at (Documentation/admin-guide/sysctl/kernel.rst).
 */
static long highest_level(const struct evsel *evsel, const struct event_place *at)
{
	if (at->cpu >= 0)
		return 0;
	return evsel->attr.attr.exclude_kernel || event_open__may_drop_kernel(evsel, -EACCES) ? 2 :
												1;
}

/* Adds advice on what the user can do to count @evsel for the CPU, task or cgroup @at. */
static void add_denied_advice(struct strbuf *sb, const struct evsel *evsel,
			      const struct event_place *at)
{
	bool is_task = !(at->flags & PERF_FLAG_PID_CGROUP) && is_another_users(at->pid);
	long level, highest = highest_level(evsel, at);

	if (privileges__are_filtered() && privileges__allow_events()) {
		strbuf__adds(
			sb,
			"allow perf_event_open in the seccomp profile of the container or service");
		return;
	}
	/*
	 * level 3 exists only in some kernels, such as Debian's; at this level, CAP_PERFMON is not
	 * enough
	 */
	if (privileges__allow_events() && read_paranoid(&level) && level > 2) {
		strbuf__addf(sb,
			     "CAP_PERFMON is not enough at level %ld: run pstat as root, or set "
			     "kernel.perf_event_paranoid=2",
			     level);
		return;
	}
	if (is_task)
		strbuf__addf(sb,
			     "task %d belongs to another user: run pstat as that user or as "
			     "root",
			     at->pid);
	else
		strbuf__addf(sb, "run pstat as root or with CAP_PERFMON%s",
			     privileges__are_filtered() ?
				     " and without the seccomp filter that this process has" :
				     "");
	if (is_task || !read_paranoid(&level))
		return;
	if (level <= highest)
		strbuf__addf(sb,
			     "; level %ld allows this, so a container or a security module may "
			     "forbid it",
			     level);
	else if (highest == 1 && level == 2)
		strbuf__adds(sb, ", or count user space only (:u)");
	else
		strbuf__addf(sb,
			     ", or allow this to all users (sysctl "
			     "kernel.perf_event_paranoid=%ld)",
			     highest);
}

/* ---- explanations of errors ---- */

/* perf_event_open(2) and kernel/events/core.c contain the reasons for these errors. */
static const struct open_error {
	int err;
	bool unsupported;
	const char *name;
	const char *why;
	const char *advice;
} errors[] = {
	{ -ENOENT, true, "ENOENT",
	  "no PMU driver of this kernel accepts the event; is this a virtual machine "
	  "without a PMU?",
	  "software events need no PMU: `pstat list sw` shows them" },
	{ -EINVAL, true, "EINVAL",
	  "the PMU does not accept this event for this target or with these modifiers",
	  "try the event without modifiers, or system-wide with -a" },
	{ -EOPNOTSUPP, true, "EOPNOTSUPP",
	  "the hardware or its driver cannot do what the modifiers ask for",
	  "try the event without the modifiers p, G, H, h and I" },
	{ -ENXIO, true, "ENXIO", "this CPU does not have the PMU", NULL },
	{ -ENODEV, true, "ENODEV", "the CPU is offline, or does not have the PMU", NULL },
	{ -ENOSYS, true, "ENOSYS", "this kernel was built without perf events", NULL },
	{ -ECANCELED, true, "ECANCELED",
	  "another event of its group cannot be counted, and a group is counted as a whole or not "
	  "at all",
	  "take the events out of the braces" },
	{ -EMFILE, false, "EMFILE",
	  "more files than this process may open: an fd is needed for each event, CPU and thread",
	  "raise the limit (ulimit -n), or count fewer events, CPUs or threads" },
	{ -ENFILE, false, "ENFILE", "more files than this machine may open",
	  "raise /proc/sys/fs/file-max" },
	{ -EBUSY, false, "EBUSY", "another event uses the PMU exclusively", NULL },
	{ -ENOSPC, false, "ENOSPC", "no free breakpoint register", "count fewer breakpoints" },
	{ -ESRCH, false, "ESRCH", "the task has ended", NULL },
};

static const char breakpoint_advice[] =
	"the length must be 1, 2, 4 or 8, and the address must be a multiple of it";
/*
 * Errors for breakpoints, from the checks in kernel/events/hw_breakpoint.c and
 * arch/.../kernel/hw_breakpoint.c.
 */
static const struct open_error breakpoint_errors[] = {
	{ -EINVAL, true, "EINVAL",
	  "no breakpoint register accepts this address and length, or the address belongs to the "
	  "kernel, which :u excludes",
	  breakpoint_advice },
	{ -EOPNOTSUPP, true, "EOPNOTSUPP",
	  "the CPU's breakpoint registers cannot watch this number of bytes", breakpoint_advice },
};

static const struct open_error *find_breakpoint(int err)
{
	for (size_t i = 0; i < sizeof(breakpoint_errors) / sizeof(breakpoint_errors[0]); i++)
		if (breakpoint_errors[i].err == err)
			return &breakpoint_errors[i];
	return NULL;
}

static const struct open_error *find(int err)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].err == err)
			return &errors[i];
	return NULL;
}

/* the bits of attr.config that contain the event code and the umask */
#define CONFIG_EVENT_UMASK 0xffff
/* the value of these bits for the first topdown metric; the others have higher umasks */
#define CONFIG_TOPDOWN_FIRST 0x8000

/*
 * The error for a topdown metric in a group without the event `slots`. intel_pmu_hw_config() in
 * arch/x86/events/intel/core.c accepts topdown metrics only in groups whose leader is `slots`.
 */
static const struct open_error topdown_error = {
	-EINVAL, true, "EINVAL",
	"the kernel accepts this event only in a group whose first event is slots",
	"add slots to the same -e"
};

/*
 * Returns whether @evsel is a topdown metric that leads its group. Such a group does not contain
 * the event `slots`, because regroup.c would have made `slots` the leader.
 */
static bool is_without_slots(const struct evsel *evsel)
{
	uint64_t code = evsel->attr.attr.config & CONFIG_EVENT_UMASK;

	if (!evsel->keeps_group || !evsel__is_group_leader(evsel))
		return false;
	return code >= CONFIG_TOPDOWN_FIRST && !(code & 0xff);
}

static const struct open_error *find_for(const struct evsel *evsel, int err)
{
	const struct open_error *e =
		evsel->attr.attr.type == PERF_TYPE_BREAKPOINT ? find_breakpoint(err) : NULL;

	if (err == topdown_error.err && is_without_slots(evsel))
		return &topdown_error;

	return e ?: find(err);
}

bool open_error__is_unsupported(int err)
{
	const struct open_error *e = find(err);

	return e && e->unsupported;
}

static bool is_denied(int err)
{
	return err == -EACCES || err == -EPERM;
}

static void explain_denied(struct strbuf *sb, const struct evsel *evsel, int err,
			   const struct event_place *at)
{
	strbuf__adds(sb, ": cannot be opened (");
	open_error__reason(sb, err);
	strbuf__adds(sb, ")\n");
	add_denied_advice(sb, evsel, at);
}

void open_error__explain(struct strbuf *sb, const struct evsel *evsel, int err,
			 const struct event_place *at)
{
	const struct open_error *e = find_for(evsel, err);

	strbuf__adds(sb, evsel->name);
	if (at->cpu >= 0)
		strbuf__addf(sb, " on CPU %d", at->cpu);
	if (is_denied(err)) {
		explain_denied(sb, evsel, err, at);
		return;
	}
	strbuf__adds(sb, e && e->unsupported ? ": cannot be counted here" : ": cannot be opened");
	if (e)
		strbuf__addf(sb, " (%s: %s)", e->name, e->why);
	else
		strbuf__addf(sb, " (%s)", strerror(-err));
	if (err == -ENOSYS && privileges__are_filtered())
		strbuf__adds(sb, "\nor the seccomp filter of this process refuses perf_event_open");
	else if (e && e->advice)
		strbuf__addf(sb, "\n%s", e->advice);
}

void open_error__reason(struct strbuf *sb, int err)
{
	const struct open_error *e = find(err);

	if (is_denied(err)) {
		strbuf__adds(sb, err == -EACCES ? "EACCES: " : "EPERM: ");
		add_denied(sb);
	} else if (e) {
		strbuf__addf(sb, "%s: %s", e->name, e->why);
	} else {
		strbuf__adds(sb, strerror(-err));
	}
}

/*
 * Returns whether perf stat reports this error as a missing sampling interrupt. perf does so only
 * on x86.
 */
static bool is_without_interrupt(const struct evsel *evsel, int err)
{
#if defined(__i386__) || defined(__x86_64__)
	return err == -EOPNOTSUPP && evsel->attr.attr.type == PERF_TYPE_HARDWARE;
#else
	(void)evsel;
	(void)err;
	return false;
#endif
}

/* Uses the same texts as evsel__open_strerror() in tools/perf/util/evsel.c. */
void open_error__explain_like_perf(struct strbuf *sb, const struct evsel *evsel, int err,
				   const struct event_place *at)
{
	bool of_task = at->cpu < 0;

	if (err == -ENOENT)
		strbuf__addf(sb, "The %s event is not supported.", evsel->name);
	else if (err == -EOPNOTSUPP && evsel->attr.attr.precise_ip)
		strbuf__adds(sb,
			     "'precise' request may not be supported. Try removing 'p' modifier.");
	else if (is_without_interrupt(evsel, err))
		strbuf__adds(sb, "No hardware sampling interrupt available.\n");
	else if (of_task && (err == -EINVAL || err == -EOPNOTSUPP))
		strbuf__addf(sb, "%s event (%s) in per-thread mode, enable system wide with '-a'.",
			     err == -EINVAL ? "Invalid" : "Unsupported", evsel->name);
	else
		strbuf__addf(
			sb,
			"The sys_perf_event_open() syscall returned with %d (%s) for event (%s).\n"
			"/bin/dmesg | grep -i perf may provide additional information.\n",
			-err, strerror(-err), evsel->name);
}
