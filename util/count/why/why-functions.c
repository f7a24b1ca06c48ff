// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/why/why-functions.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

/*
 * Prefixes of the names of functions that may refuse an event. Names that end in _event_init are
 * handled separately.
 */
static const char *const beginnings[] = {
	"perf_",	  "__perf_",	       "security_perf",	      "hw_breakpoint",
	"hw_perf_",	  "armpmu_",	       "armv8pmu_",	      "armv8_pmuv3_map",
	"x86_pmu_",	  "x86_setup_perfctr", "intel_pmu_hw_config", "amd_pmu_hw_config",
	"amd_core_hw",	  "find_lively_task",  "find_get_context",    "ptrace_may_access",
	"validate_group", "validate_event",    "reserve_bp_slot",     "__reserve_bp_slot",
};
/*
 * Exceptions to `beginnings`, also prefixes: functions that run at each tracepoint or context
 * switch, functions that run when the kernel boots, functions in kernel/trace/, which cannot be
 * traced, and functions that do not check new events.
 */
static const char *const but_not[] = {
	"perf_trace_",		 "perf_kprobe_",	  "perf_uprobe_",
	"perf_ftrace_",		 "perf_syscall_",	  "perf_call_bpf_",
	"perf_event_task_",	 "perf_event_init",	  "perf_event_sysfs",
	"perf_event_attach_bpf", "perf_event_detach_bpf", "perf_event_query_prog",
	"perf_event_ctx_lock",	 "perf_event_raw_event",  "perf_event_stop",
	"perf_swevent_get",	 "perf_get_page_size",	  "perf_mmap_calc",
	"perf_mux_hrtimer",	 "x86_pmu_disable_event", "x86_pmu_max_num",
	"x86_pmu_num_",
};
/* Functions whose names end in _event_init, but which do not belong to PMUs. */
static const char *const no_pmus[] = { "acpi_event_init", "bpf_event_init", "perf_event_init",
				       "perf_trace_event_init", "trace_event_init" };

/* Types of events, as bits. */
#define ANY_TYPE 0
#define HARDWARE 1
#define BREAKPOINT 2
#define OTHER 4 /* software events and tracepoints */
#define EACH (HARDWARE | BREAKPOINT | OTHER)

/* The functions from which most refusals come, with the types of events that they check. */
static const struct {
	const char *name;
	/*
	 * ANY_TYPE: the function's checks are not specific to a type; EACH: the function refuses an
	 * event of any type if no PMU accepts it
	 */
	int types;
} usual[] = {
	{ "perf_event_alloc", EACH },
	{ "perf_init_event", ANY_TYPE },
	{ "perf_try_init_event", ANY_TYPE },
	{ "perf_copy_attr", ANY_TYPE },
	{ "perf_event_set_clock", ANY_TYPE },
	{ "perf_event_validate_size", ANY_TYPE },
	{ "perf_get_aux_event", ANY_TYPE },
	{ "perf_cgroup_connect", ANY_TYPE },
	{ "perf_allow_kernel", ANY_TYPE },
	{ "security_perf_event_open", ANY_TYPE },
	{ "find_get_context", ANY_TYPE },
	{ "find_lively_task_by_vpid", ANY_TYPE },
	{ "ptrace_may_access", ANY_TYPE },
	{ "armpmu_event_init", HARDWARE },
	{ "armv8pmu_set_event_filter", HARDWARE },
	{ "armv8_pmuv3_map_event", HARDWARE },
	{ "x86_pmu_event_init", HARDWARE },
	{ "x86_pmu_hw_config", HARDWARE },
	{ "intel_pmu_hw_config", HARDWARE },
	{ "validate_group", HARDWARE },
	{ "hw_breakpoint_event_init", BREAKPOINT },
	{ "hw_breakpoint_arch_parse", BREAKPOINT },
	{ "reserve_bp_slot", BREAKPOINT },
	{ "__reserve_bp_slot", BREAKPOINT },
	{ "perf_swevent_init", OTHER },
	{ "perf_tp_event_init", OTHER },
	{ "cpu_clock_event_init", OTHER },
	{ "task_clock_event_init", OTHER },
};

static bool begins(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (*name == *list[i] && !strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

#define BEGINS(name, list) begins(name, list, sizeof(list) / sizeof((list)[0]))

static bool ends(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len >= end_len && !strcmp(name + len - end_len, end);
}

bool why_function__may_refuse(const char *name)
{
	if (ends(name, "_event_init"))
		return !BEGINS(name, no_pmus);
	return BEGINS(name, beginnings) && !BEGINS(name, but_not) && !ends(name, "_init");
}

/* Returns the types of events that the function @name checks, or -1 if @name is not in `usual`. */
static int types_of(const char *name)
{
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (*name == *usual[i].name && !strcmp(name, usual[i].name))
			return usual[i].types;
	return -1;
}

bool why_function__is_usual(const char *name)
{
	return types_of(name) >= 0 || why_function__answers(name);
}

bool why_function__is_for(const char *name, uint32_t type)
{
	int types = types_of(name);
	int wanted = type == PERF_TYPE_BREAKPOINT				? BREAKPOINT :
		     type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ? OTHER :
										  HARDWARE;

	return types > 0 && (types & wanted);
}

bool why_function__asks(const char *name)
{
	return !strcmp(name, "perf_try_init_event");
}

bool why_function__answers(const char *name)
{
	return ends(name, "_event_init") || !strcmp(name, "perf_swevent_init");
}
