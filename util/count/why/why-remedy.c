// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/why/why-remedy.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/hw_breakpoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/privileges.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/why/why-search.h"

static const struct {
	int err;
	const char *name;
} names[] = {
	{ EPERM, "EPERM" },	    { ENOENT, "ENOENT" },	  { ESRCH, "ESRCH" },
	{ EINTR, "EINTR" },	    { E2BIG, "E2BIG" },		  { EBADF, "EBADF" },
	{ ENOMEM, "ENOMEM" },	    { EACCES, "EACCES" },	  { EFAULT, "EFAULT" },
	{ EBUSY, "EBUSY" },	    { EEXIST, "EEXIST" },	  { ENODEV, "ENODEV" },
	{ EINVAL, "EINVAL" },	    { ENFILE, "ENFILE" },	  { EMFILE, "EMFILE" },
	{ ENOSPC, "ENOSPC" },	    { ENOSYS, "ENOSYS" },	  { ENXIO, "ENXIO" },
	{ ERANGE, "ERANGE" },	    { EOPNOTSUPP, "EOPNOTSUPP" }, { EOVERFLOW, "EOVERFLOW" },
	{ ECANCELED, "ECANCELED" },
};

const char *why_remedy__errno_name(int err)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].err == (err < 0 ? -err : err))
			return names[i].name;
	return NULL;
}

/* ---- facts about this process ---- */

static bool paranoid_is_over(int level)
{
	char text[32];

	return sysfs__read(sysroots__host()->procfs, "sys/kernel/perf_event_paranoid", text,
			   sizeof(text)) > 0 &&
	       strtol(text, NULL, 10) > level;
}

static bool has_filter(const struct why_trial *trial)
{
	(void)trial;
	return privileges__are_filtered();
}

/*
 * Returns whether kernel.perf_event_paranoid is 3 or higher and pstat lacks CAP_SYS_ADMIN. If so,
 * pstat is probably not allowed to open any event. Only the kernels of Debian, Ubuntu and Android
 * have levels above 2. At these levels, Debian's kernels require CAP_SYS_ADMIN.
 */
static bool paranoid_forbids_all(const struct why_trial *trial)
{
	(void)trial;
	return !privileges__allow_all() && paranoid_is_over(2);
}

/*
 * Returns whether neither kernel.perf_event_paranoid nor a seccomp filter can be the reason for a
 * refusal.
 */
static bool nothing_else_forbids(const struct why_trial *trial)
{
	(void)trial;
	return !privileges__are_filtered() && (privileges__allow_all() || !paranoid_is_over(-1));
}

static bool paranoid_forbids_kernel(const struct why_trial *trial)
{
	(void)trial;
	return !privileges__allow_events() && paranoid_is_over(1);
}

static bool paranoid_forbids_cpus(const struct why_trial *trial)
{
	return !privileges__allow_events() && trial->at.pid < 0 && paranoid_is_over(0);
}

static bool is_hardware(const struct why_trial *trial)
{
	__u32 type = trial->attr.attr.type;

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

static bool is_breakpoint(const struct why_trial *trial)
{
	return trial->attr.attr.type == PERF_TYPE_BREAKPOINT;
}

/*
 * Returns whether the event is a breakpoint of a task. Kernels for arm64 and some other
 * architectures refuse such breakpoints at kernel addresses (hw_breakpoint_arch_parse()).
 */
static bool is_breakpoint_of_task(const struct why_trial *trial)
{
	return is_breakpoint(trial) && trial->at.pid >= 0;
}

/*
 * Returns whether a term of the event sets a bit of config1. On x86, such a term needs an extra
 * register of the CPU.
 */
static bool has_config1(const struct why_trial *trial)
{
	return !is_breakpoint(trial) && trial->attr.attr.config1;
}

/*
 * Returns whether the event is a topdown event (event 0, umask 0x80 or higher) that is not opened
 * as a member of another event's group.
 */
static bool is_topdown_alone(const struct why_trial *trial)
{
	uint64_t config = trial->attr.attr.config & 0xffff;

	return trial->attr.attr.type == PERF_TYPE_RAW && trial->at.group_fd < 0 &&
	       config >= 0x8000 && !(config & 0xff);
}

static bool is_counting(const struct why_trial *trial)
{
	return !trial->attr.attr.sample_period;
}

static bool is_execution(const struct why_trial *trial)
{
	return is_breakpoint(trial) && trial->attr.attr.bp_type == HW_BREAKPOINT_X;
}

static bool is_task(const struct why_trial *trial)
{
	return trial->at.pid > 0 && !(trial->at.flags & PERF_FLAG_PID_CGROUP);
}

/*
 * Returns whether the event is for a task, or for a command (pid 0, see task_place() in
 * why-events.c).
 */
static bool is_task_or_command(const struct why_trial *trial)
{
	return trial->at.pid >= 0 && !(trial->at.flags & PERF_FLAG_PID_CGROUP);
}

static bool is_sibling(const struct why_trial *trial)
{
	return trial->at.group_fd >= 0;
}

/* ---- the table ---- */

/*
 * The table of causes. The first row that matches applies. If `change`, `function` or `fits` is
 * NULL, it matches everything. The comments between the rows name the function in Linux 6.12 that
 * returns the error. "a(): b()" means that a() calls b() and returns its error. Functions without a
 * path are in kernel/events/core.c, or are called there.
 */
static const struct row {
	int err;
	/*
	 * The name of the first change (why-changes.h) that makes the kernel accept the event. If
	 * two changes are necessary, this is the name of the second one: in the list of changes,
	 * the changes to the target come last, and the target is the more likely cause.
	 */
	const char *change;
	enum why_scope scope; /* WHY_CHANGES if `change` is set */
	const char *function; /* a pattern for the kernel function that returned the error */
	bool (*fits)(const struct why_trial *trial);
	const char *cause, *remedy;
} rows[] = {
	/* ---- the user ---- */
	/* perf_event_open(): perf_paranoid_any() in distributions' kernels; seccomp(2) */
	{ EACCES, NULL, WHY_EVERYTHING, NULL, paranoid_forbids_all,
	  "kernel.perf_event_paranoid is above 2, so this user may not open any event",
	  "run pstat as root, or set kernel.perf_event_paranoid to 2 or less; on some kernels, "
	  "CAP_PERFMON is enough" },
	{ EPERM, NULL, WHY_EVERYTHING, NULL, has_filter,
	  "a seccomp filter refuses perf_event_open(2)",
	  "allow perf_event_open in the seccomp profile of the container or service" },
	{ EACCES, NULL, WHY_EVERYTHING, NULL, has_filter,
	  "a seccomp filter refuses perf_event_open(2)",
	  "allow perf_event_open in the seccomp profile of the container or service" },
	{ ENOSYS, NULL, WHY_EVERYTHING, NULL, has_filter,
	  "a seccomp filter hides perf_event_open(2)",
	  "allow perf_event_open in the seccomp profile of the container or service" },
	{ ENOSYS, NULL, WHY_EVERYTHING, NULL, NULL,
	  "this kernel was built without perf events (CONFIG_PERF_EVENTS)",
	  "use a kernel with CONFIG_PERF_EVENTS=y" },
	/* perf_event_open(): security_perf_event_open() */
	{ EPERM, NULL, WHY_EVERYTHING, NULL, nothing_else_forbids,
	  "a security module probably refuses perf events",
	  "allow them in its policy (SELinux: the class perf_event)" },
	{ EACCES, NULL, WHY_EVERYTHING, NULL, nothing_else_forbids,
	  "a security module probably refuses perf events",
	  "allow them in its policy (SELinux: the class perf_event)" },
	/* perf_allow_kernel() */
	{ EACCES, "exclude_kernel", WHY_CHANGES, NULL, paranoid_forbids_kernel,
	  "kernel.perf_event_paranoid is above 1, so this user may not count the kernel",
	  "count user space only (:u), run pstat as root or with CAP_PERFMON, or set "
	  "kernel.perf_event_paranoid to 1" },
	/* find_get_context(): perf_allow_cpu() */
	{ EACCES, "cpu", WHY_CHANGES, NULL, paranoid_forbids_cpus,
	  "kernel.perf_event_paranoid is above 0, so this user may not count whole CPUs",
	  "count a process, run pstat as root or with CAP_PERFMON, or set "
	  "kernel.perf_event_paranoid to 0" },
	{ EACCES, NULL, WHY_THIS_PLACE, NULL, paranoid_forbids_cpus,
	  "kernel.perf_event_paranoid is above 0, so this user may not count whole CPUs",
	  "count a process, run pstat as root or with CAP_PERFMON, or set "
	  "kernel.perf_event_paranoid to 0" },
	/* perf_check_permission(): ptrace_may_access() */
	{ EACCES, "pid", WHY_CHANGES, NULL, is_task,
	  "the process belongs to another user, or may not be traced",
	  "run pstat as the user of the process, as root, or with CAP_PERFMON" },
	/* perf_tp_event_init(): perf_trace_init() in kernel/trace/, which cannot be traced */
	{ EPERM, NULL, WHY_CHANGES, "perf_tp_event_init", NULL,
	  "this user may not use this tracepoint for this target",
	  "run pstat as root or with CAP_PERFMON" },

	/* ---- the target, the event, and its group ---- */
	/* perf_event_open(): find_lively_task_by_vpid() */
	{ ESRCH, NULL, WHY_CHANGES, NULL, is_task, "the thread has ended", NULL },
	{ ESRCH, NULL, WHY_THIS_PLACE, NULL, is_task, "the thread has ended", NULL },
	/* perf_event_open() if the CPU is offline; drivers if the CPU does not have their PMU */
	{ ENODEV, "cpu", WHY_CHANGES, NULL, NULL,
	  "the CPU is offline, or does not have the event's PMU",
	  "count the CPUs of the PMU only (-C)" },
	{ ENXIO, "cpu", WHY_CHANGES, NULL, NULL, "the PMU is not present on this CPU",
	  "count the CPUs of the PMU only (-C)" },
	{ EINVAL, "cgroup", WHY_CHANGES, NULL, NULL, "the event cannot be counted for a cgroup",
	  "count whole CPUs, or use --bpf-counters --for-each-cgroup" },
	/* perf_event_open() for groups; validate_group() of the drivers */
	{ EINVAL, "pinned", WHY_CHANGES, NULL, is_sibling,
	  "only the leader of a group can be pinned", "give the modifier D to the leader" },
	{ EINVAL, "exclusive", WHY_CHANGES, NULL, is_sibling,
	  "only the leader of a group can be exclusive", "give the modifier e to the leader" },
	{ EINVAL, "group", WHY_CHANGES, NULL, is_sibling,
	  "the group does not fit: it needs more counters than the PMU has, or its events "
	  "belong to different PMUs",
	  "take the event out of the braces, or add the modifier W, which breaks up a group "
	  "that does not fit" },
	{ EOPNOTSUPP, "precise_ip", WHY_CHANGES, NULL, NULL,
	  "the PMU cannot sample precisely (no PEBS, IBS or SPE for this event)",
	  "leave out the modifier p" },
	{ EINVAL, "precise_ip", WHY_CHANGES, NULL, NULL,
	  "the PMU does not have this degree of precision", "use fewer p, or none" },
	{ EINVAL, "inherit", WHY_CHANGES, NULL, NULL, "the PMU cannot count the children of a task",
	  "add -i" },
	/* drivers of PMUs, such as uncore PMUs, that cannot tell tasks or CPU modes apart */
	{ EINVAL, "exclude_kernel", WHY_CHANGES, NULL, NULL, "the PMU counts user space only",
	  "add the modifier u" },
	{ EINVAL, "exclude_user", WHY_CHANGES, NULL, NULL,
	  "the PMU cannot tell user space from the kernel", "leave out the modifiers u, k and h" },
	{ EOPNOTSUPP, "exclude_user", WHY_CHANGES, NULL, NULL,
	  "the PMU cannot tell user space from the kernel", "leave out the modifiers u, k and h" },
	{ EINVAL, "exclude_idle", WHY_CHANGES, NULL, NULL, "the PMU cannot leave out idle time",
	  "leave out the modifier I" },
	{ EOPNOTSUPP, "exclude_idle", WHY_CHANGES, NULL, NULL, "the PMU cannot leave out idle time",
	  "leave out the modifier I" },
	{ EPERM, "exclude_idle", WHY_CHANGES, NULL, NULL, "the PMU cannot leave out idle time",
	  "leave out the modifier I" },
	{ EINVAL, "exclude_host", WHY_CHANGES, NULL, NULL, "the PMU cannot leave out the host",
	  "leave out the modifier G" },
	{ EINVAL, "exclude_guest", WHY_CHANGES, NULL, NULL,
	  "the PMU cannot tell guests from the host", "leave out the modifiers G and H" },
	{ EOPNOTSUPP, "exclude_guest", WHY_CHANGES, NULL, NULL, "the PMU cannot count guests",
	  "add the modifier H" },
	{ EINVAL, "cpu", WHY_CHANGES, NULL, is_breakpoint_of_task,
	  "this kernel watches its own addresses only for whole CPUs", "count CPUs with -a or -C" },
	{ EINVAL, "cpu", WHY_CHANGES, NULL, is_task_or_command,
	  "the PMU counts whole CPUs only, not tasks", "count CPUs with -a or -C" },
	{ EOPNOTSUPP, "cpu", WHY_CHANGES, NULL, is_task_or_command,
	  "the PMU counts whole CPUs only, not tasks", "count CPUs with -a or -C" },
	/* intel_pmu_hw_config() in arch/x86/events/intel/core.c */
	{ EINVAL, NULL, WHY_CHANGES, NULL, is_topdown_alone,
	  "the kernel accepts this event only in a group whose first event is slots",
	  "add slots to the same -e" },
	/* perf_ibs_init() in arch/x86/events/amd/ibs.c, and drivers of other sampling PMUs */
	{ EINVAL, "sample_period", WHY_CHANGES, NULL, is_counting,
	  "the PMU does not count, it only takes samples", "use pstat profile or perf record" },
	/* x86_pmu_extra_regs() in arch/x86/events/core.c */
	{ ENXIO, NULL, WHY_CHANGES, NULL, has_config1,
	  "a term of the event needs a register that this CPU does not have, as in many virtual "
	  "machines",
	  "leave out the term, or count on the host" },
	/*
	 * hw_breakpoint_arch_parse() in arch/.../kernel/hw_breakpoint.c, and reserve_bp_slot() in
	 * kernel/events/hw_breakpoint.c
	 */
	{ EINVAL, "bp_addr", WHY_CHANGES, NULL, is_breakpoint,
	  "the address is not a multiple of the length",
	  "use an aligned address, or a shorter length" },
	/*
	 * on x86, an execution breakpoint must have the length of a long, and no breakpoint can
	 * watch only reads
	 */
	{ EINVAL, "bp_len", WHY_CHANGES, NULL, is_execution,
	  "the CPU's breakpoint registers watch execution for one length only",
	  "use mem:ADDRESS:x without a length" },
	{ EINVAL, "bp_len", WHY_CHANGES, NULL, is_breakpoint,
	  "the CPU's breakpoint registers do not support this length at this address",
	  "use a length of 1, 2, 4 or 8, and an address that is a multiple of it" },
	{ EOPNOTSUPP, "bp_len", WHY_CHANGES, NULL, is_breakpoint,
	  "the CPU's breakpoint registers do not support this length",
	  "use a length of 1, 2, 4 or 8, and an address that is a multiple of it" },
	{ EINVAL, "bp_type", WHY_CHANGES, NULL, is_breakpoint,
	  "the CPU's breakpoint registers cannot watch for this kind of access",
	  "watch for writes (w) or for both (rw)" },
	{ ENOSPC, NULL, WHY_THIS_PLACE, NULL, is_breakpoint, "all breakpoint registers are in use",
	  "count fewer breakpoints" },
	{ ENOSPC, NULL, WHY_THIS_PMU, NULL, is_breakpoint, "all breakpoint registers are in use",
	  "count fewer breakpoints" },
	{ ENOSPC, NULL, WHY_CHANGES, NULL, is_breakpoint, "all breakpoint registers are in use",
	  "count fewer breakpoints" },
	/* exclusive_event_installable() */
	{ EBUSY, NULL, WHY_CHANGES, NULL, NULL, "another event uses the PMU exclusively",
	  "end the other session: `pstat list --free` names the holders of perf events" },
	{ EBUSY, NULL, WHY_THIS_PMU, NULL, NULL, "another event uses the PMU exclusively",
	  "end the other session: `pstat list --free` names the holders of perf events" },
	/* perf_copy_attr() */
	{ E2BIG, NULL, WHY_CHANGES, NULL, NULL,
	  "the kernel is older than a field of the attr that is set", "use a newer kernel" },
	{ EINVAL, "config3", WHY_CHANGES, NULL, NULL, "the PMU or this kernel has no config3",
	  NULL },

	/* ---- no change helps ---- */
	/* perf_init_event(): no PMU accepted the event */
	{ ENOENT, NULL, WHY_THIS_PMU, NULL, is_hardware,
	  "no PMU of this machine counts hardware events, as in most virtual machines",
	  "use software events (`pstat list sw`), or give the virtual machine a PMU" },
	{ EOPNOTSUPP, NULL, WHY_THIS_PMU, NULL, is_hardware,
	  "no PMU of this machine counts hardware events",
	  "use software events (`pstat list sw`)" },
	{ ENOENT, NULL, WHY_THIS_EVENT, NULL, NULL, "the PMU does not have this event",
	  "`pstat list --check` shows the events that open" },
	{ EINVAL, NULL, WHY_THIS_EVENT, NULL, NULL, "the PMU does not have this event",
	  "`pstat list --check` shows the events that open" },
	{ EOPNOTSUPP, NULL, WHY_THIS_EVENT, NULL, NULL, "the PMU does not have this event",
	  "`pstat list --check` shows the events that open" },
	{ EMFILE, NULL, WHY_TOO_MANY_OPEN, NULL, NULL,
	  "this process has reached its limit of open files (ulimit -n)",
	  "raise the limit, or count fewer events, CPUs or threads" },
	{ ENFILE, NULL, WHY_TOO_MANY_OPEN, NULL, NULL,
	  "the machine has reached its limit of open files", "raise /proc/sys/fs/file-max" },
	{ 0 },
};

static const struct row *find(const struct why_answer *answer, const struct why_trial *trial,
			      const char *function)
{
	const char *changed = NULL;

	if (answer->nr_fixes) {
		const struct why_fix *fix = &answer->fixes[0];
		int last = fix->second < 0 ? fix->first : fix->second;

		changed = answer->changes.list[last].name;
	}
	for (const struct row *row = rows; row->cause; row++) {
		if (row->err != -answer->err || row->scope != answer->scope)
			continue;
		if (row->change && (!changed || strcmp(row->change, changed) != 0))
			continue;
		if (row->function && (!function || fnmatch(row->function, function, 0)))
			continue;
		if (!row->fits || row->fits(trial))
			return row;
	}
	return NULL;
}

/*
 * Adds a general cause, which names the field or term that must be changed for the kernel to accept
 * the event. Adds nothing if two changes are necessary, or if the change affects the target.
 */
static void add_change(const struct why_answer *answer, struct strbuf *cause)
{
	const struct why_fix *fix = &answer->fixes[0];
	const struct why_change *change = &answer->changes.list[fix->first];

	if (fix->second >= 0 || change->part == WHY_TARGET)
		return;
	strbuf__addf(cause,
		     change->part == WHY_ATTR ? "the kernel does not accept %s for this event" :
						"the PMU does not accept the value of %s",
		     change->name);
}

bool why_remedy__explains(const struct why_answer *answer, const struct why_trial *trial)
{
	return answer->nr_fixes || find(answer, trial, NULL);
}

void why_remedy__add(const struct why_answer *answer, const struct why_trial *trial,
		     const char *function, struct strbuf *cause, struct strbuf *remedy)
{
	const struct row *row = find(answer, trial, function);

	if (row)
		strbuf__adds(cause, row->cause);
	else if (answer->nr_fixes)
		add_change(answer, cause);
	if (row && row->remedy)
		strbuf__adds(remedy, row->remedy);
}
