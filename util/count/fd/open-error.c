// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/open-error.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "util/base/privileges.h"
#include "util/base/strbuf.h"
#include "util/count/fd/event-open.h"
#include "util/count/fd/open-denied.h"
#include "util/event/evsel.h"

/* Sources: perf_event_open(2) and kernel/events/core.c, where each of these is returned. */
static const struct open_error {
	int err;
	bool unsupported;
	const char *name;
	const char *why;
	const char *advice;
} errors[] = {
	{ -ENOENT, true, "ENOENT",
	  "no PMU driver of this kernel takes the event; a virtual machine without a PMU?",
	  "software events need no PMU: `pstat list sw` shows them" },
	{ -EINVAL, true, "EINVAL",
	  "the PMU does not take this event for this target, or not with these modifiers",
	  "try it without modifiers, or system-wide with -a" },
	{ -EOPNOTSUPP, true, "EOPNOTSUPP",
	  "the hardware or its driver cannot do what the modifiers ask for",
	  "try it without p, G, H, h or I" },
	{ -ENXIO, true, "ENXIO", "the PMU is not there on this CPU", NULL },
	{ -ENODEV, true, "ENODEV", "the CPU is offline, or the PMU is not there on it", NULL },
	{ -ENOSYS, true, "ENOSYS", "this kernel was built without perf events", NULL },
	{ -ECANCELED, true, "ECANCELED",
	  "another event of its group cannot be counted, and a group counts whole or not at all",
	  "take the events out of the braces" },
	{ -EMFILE, false, "EMFILE",
	  "more files than this process may open: an fd is needed for each event, CPU and thread",
	  "raise it (ulimit -n), or count fewer events, CPUs or threads" },
	{ -ENFILE, false, "ENFILE", "more files than this machine may open",
	  "raise /proc/sys/fs/file-max" },
	{ -EBUSY, false, "EBUSY", "another user has the PMU for itself", NULL },
	{ -ENOSPC, false, "ENOSPC", "no free breakpoint register", "count fewer breakpoints" },
	{ -ESRCH, false, "ESRCH", "the task has ended", NULL },
};

/* The checks are in kernel/events/hw_breakpoint.c and arch/.../kernel/hw_breakpoint.c. */
static const char breakpoint_advice[] =
	"the length is 1, 2, 4 or 8, and the address a multiple of it";
static const struct open_error breakpoint_errors[] = {
	{ -EINVAL, true, "EINVAL",
	  "no breakpoint register takes this address and length, or it is the kernel's and :u "
	  "leaves the kernel out",
	  breakpoint_advice },
	{ -EOPNOTSUPP, true, "EOPNOTSUPP",
	  "the CPU's breakpoint registers do not watch so many bytes", breakpoint_advice },
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

/* Event and umask of the first topdown metric. The other metrics have higher umasks. */
#define CONFIG_EVENT_UMASK 0xffff
#define CONFIG_TOPDOWN_FIRST 0x8000

/*
 * intel_pmu_hw_config() in arch/x86/events/intel/core.c refuses a topdown metric that slots does
 * not lead.
 */
static const struct open_error topdown_error = {
	-EINVAL, true, "EINVAL", "the kernel accepts it only in a group whose first event is slots",
	"name slots in the same -e"
};

/* If slots is in the same list of events, regroup.c has already made it the leader. */
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
	open_denied__advice(sb, evsel, at);
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
		open_denied__why(sb);
	} else if (e) {
		strbuf__addf(sb, "%s: %s", e->name, e->why);
	} else {
		strbuf__adds(sb, strerror(-err));
	}
}

/* perf built for x86 takes this error for a missing interrupt, also in perf stat. */
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

/* The texts are those of evsel__open_strerror() in tools/perf/util/evsel.c. */
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
