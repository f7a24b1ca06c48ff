// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/why/why-watch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/why.h"
#include "bpf_skel/why.skel.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/why/why-trial.h"
#include "util/machine/bpf/kernel-btf.h"

/*
 * The functions of the core and of the drivers of PMUs that may refuse an event: those that begin
 * with one of these texts, and those that end in _event_init.
 */
static const char *const beginnings[] = {
	"perf_",	  "__perf_",	       "security_perf",	      "hw_breakpoint",
	"hw_perf_",	  "armpmu_",	       "armv8pmu_",	      "armv8_pmuv3_map",
	"x86_pmu_",	  "x86_setup_perfctr", "intel_pmu_hw_config", "amd_pmu_hw_config",
	"amd_core_hw",	  "find_lively_task",  "find_get_context",    "ptrace_may_access",
	"validate_group", "validate_event",    "reserve_bp_slot",     "__reserve_bp_slot",
};
/*
 * Functions that are not watched: those that run for each tracepoint or context switch, those that
 * run when the kernel boots, and those that the kernel's makefiles exclude from tracing
 * (kernel/trace/).
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
static const char *const no_pmus[] = { "acpi_event_init", "bpf_event_init", "trace_event_init" };

/*
 * The most important functions, for kernels in which each function needs its own attachment.
 * Detaching from a function takes a few ms.
 */
static const char *const most_important[] = {
	"perf_event_alloc",	     "perf_init_event",		 "perf_try_init_event",
	"perf_swevent_init",	     "perf_tp_event_init",	 "hw_breakpoint_event_init",
	"hw_breakpoint_arch_parse",  "reserve_bp_slot",		 "__reserve_bp_slot",
	"armpmu_event_init",	     "x86_pmu_event_init",	 "validate_group",
	"armv8pmu_set_event_filter", "armv8_pmuv3_map_event",	 "perf_copy_attr",
	"security_perf_event_open",  "find_get_context",	 "find_lively_task_by_vpid",
	"perf_allow_kernel",	     "perf_event_set_clock",	 "perf_get_aux_event",
	"perf_cgroup_connect",	     "cpu_clock_event_init",	 "task_clock_event_init",
	"perf_trace_init",	     "perf_event_validate_size",
};

#define SINGLES_MAX (sizeof(most_important) / sizeof(most_important[0]))

struct why_watch {
	struct why_bpf *skel;
	struct bpf_link *link;		       /* the link to all functions; NULL: see singles */
	struct bpf_link *singles[SINGLES_MAX]; /* NULL: not attached */
	struct kernel_btf *btf;
	struct strbuf text; /* the file with the names, as NUL-terminated strings */
	int nr;
	bool failed;	    /* there was not enough memory for all names */
	const char **names; /* the names of the functions, in `btf` or `text` */
};

static bool begins(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (*name == *list[i] && !strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

static bool ends(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len >= end_len && !strcmp(name + len - end_len, end);
}

#define BEGINS(name, list) begins(name, list, sizeof(list) / sizeof((list)[0]))

static bool is_watched(const char *name)
{
	if (ends(name, "_event_init"))
		return !BEGINS(name, no_pmus) && strcmp(name, "perf_event_init") != 0;
	return BEGINS(name, beginnings) && !BEGINS(name, but_not) && !ends(name, "_init");
}

static bool is_most_important(const char *name)
{
	for (size_t i = 0; i < SINGLES_MAX; i++)
		if (!strcmp(name, most_important[i]))
			return true;
	return false;
}

static int read_file(struct strbuf *text, const char *path)
{
	FILE *file = fopen(path, "re");
	char block[65536];
	size_t len;
	int err;

	if (!file)
		return -errno;
	while ((len = fread(block, 1, sizeof(block), file)))
		strbuf__add(text, block, len);
	err = ferror(file) ? -EIO : strbuf__failed(text) ? -ENOMEM : 0;
	fclose(file);
	return err;
}

static void add_name(void *ctx, const char *name)
{
	struct why_watch *watch = ctx;
	const char **names = watch->names;

	if (watch->failed || !is_watched(name))
		return;
	/* the array is full, because its capacity is a power of two */
	if (!(watch->nr & (watch->nr - 1))) {
		names = reallocarray(names, watch->nr ? (size_t)watch->nr * 2 : 1, sizeof(*names));
		watch->failed = !names;
		if (!names)
			return;
		watch->names = names;
	}
	names[watch->nr++] = name;
}

/*
 * Lists the functions by their names in the kernel's BTF, which is fast. But some of these
 * functions may not be traceable, and the kernel then refuses to attach to any of them.
 */
static int list_btf(struct why_watch *watch)
{
	int err = kernel_btf__open(sysroots__host(), &watch->btf);

	if (!err)
		kernel_btf__each_function(watch->btf, add_name, watch);
	return err ?: watch->failed ? -ENOMEM : 0;
}

/*
 * Lists the functions that can be traced. The kernel needs a few hundred ms to print all of them.
 * Each line is "NAME" or "NAME [MODULE]".
 */
static int list_traceable(struct why_watch *watch, struct strbuf *why)
{
	char path[4096], *next, *end;
	int err;

	snprintf(path, sizeof(path), "%s/available_filter_functions", sysroots__host()->tracefs);
	err = read_file(&watch->text, path);
	if (err)
		return reason__set(why, err, "%s: cannot be read: %s", path, strerror(-err));
	watch->nr = 0;
	for (char *line = watch->text.text; *line; line = next) {
		end = line + strcspn(line, " \t\n");
		next = end + strcspn(end, "\n");
		next += *next == '\n';
		*end = '\0';
		add_name(watch, line);
	}
	if (!watch->failed && !watch->nr)
		return reason__set(why, -ENOENT, "%s: lists no functions of perf events", path);
	return watch->failed ? -ENOMEM : 0;
}

static int load(struct why_watch *watch, struct strbuf *why)
{
	struct stat ns;
	int err;

	if (stat("/proc/self/ns/pid", &ns))
		return reason__set(why, -errno, "/proc/self/ns/pid: cannot be read: %s",
				   strerror(errno));
	watch->skel = why_bpf__open();
	if (!watch->skel)
		return reason__set(why, -errno, "the BPF program cannot be opened: %s",
				   strerror(errno));
	watch->skel->rodata->tid = (__u32)gettid();
	watch->skel->rodata->pid_ns_dev = ns.st_dev;
	watch->skel->rodata->pid_ns_ino = ns.st_ino;
	err = why_bpf__load(watch->skel);
	return reason__set(why, err, "the BPF program cannot be loaded: %s",
			   err == -EPERM ? privileges__bpf_reason(false) : strerror(-err));
}

/* Attaches to the functions one by one. Returns the number of functions that were attached. */
static int attach_singly(struct why_watch *watch)
{
	int nr = 0;

	for (int i = 0; i < watch->nr && nr < (int)SINGLES_MAX; i++) {
		LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = (__u64)i, .retprobe = true);

		if (!is_most_important(watch->names[i]))
			continue;
		watch->singles[nr] = bpf_program__attach_kprobe_opts(
			watch->skel->progs.pstat_why_one, watch->names[i], &opts);
		nr += watch->singles[nr] != NULL;
	}
	return nr;
}

/* Attaches to all functions at once. Returns 0 or -errno. */
static int attach_at_once(struct why_watch *watch)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .syms = watch->names, .cnt = (size_t)watch->nr,
		    .retprobe = true);
	__u64 *cookies = calloc((size_t)watch->nr + 1, sizeof(*cookies));
	int err;

	if (!cookies)
		return -ENOMEM;
	for (int i = 0; i < watch->nr; i++)
		cookies[i] = (__u64)i;
	opts.cookies = cookies;
	watch->link =
		bpf_program__attach_kprobe_multi_opts(watch->skel->progs.pstat_why, NULL, &opts);
	err = watch->link ? 0 : -errno;
	free(cookies);
	return err;
}

static int attach(struct why_watch *watch, struct strbuf *why)
{
	int err = list_btf(watch);

	err = err ?: attach_at_once(watch);
	if (err == -EINVAL || err == -ESRCH || err == -ENOENT)
		err = list_traceable(watch, why) ?: attach_at_once(watch);
	if ((err == -EOPNOTSUPP || err == -EINVAL || err == -ESRCH) && attach_singly(watch))
		err = 0;
	return reason__set(why, err, "the kernel's functions cannot be watched: %s",
			   strerror(-err));
}

int why_watch__new(struct why_watch **out, struct strbuf *why)
{
	struct why_watch *watch = calloc(1, sizeof(*watch));
	int err;

	*out = NULL;
	if (!watch)
		return -ENOMEM;
	watch->text = (struct strbuf)STRBUF_INIT;
	err = load(watch, why);
	err = err ?: attach(watch, why);
	if (err)
		why_watch__free(watch);
	else
		*out = watch;
	return err;
}

void why_watch__free(struct why_watch *watch)
{
	if (!watch)
		return;
	bpf_link__destroy(watch->link);
	for (size_t i = 0; i < SINGLES_MAX; i++)
		bpf_link__destroy(watch->singles[i]);
	why_bpf__destroy(watch->skel);
	strbuf__free(&watch->text);
	kernel_btf__close(watch->btf);
	free(watch->names);
	free(watch);
}

/* ---- the functions that returned the error ---- */

static void add_to_list(struct strbuf *list, const char *name)
{
	strbuf__addf(list, "%s%s", list->len ? ", " : "", name);
}

/*
 * Does the kernel call this function to ask a PMU whether the event belongs to it
 * (perf_try_init_event())? A PMU returns ENOENT if the event does not.
 */
static bool is_question(const char *function)
{
	return !strcmp(function, "perf_try_init_event");
}

static bool is_answer(const char *function)
{
	return ends(function, "_event_init") || !strcmp(function, "perf_swevent_init");
}

static void add_return(const struct why_watch *watch, const struct why_return *found, int err,
		       struct why_seen *seen)
{
	const char *name;

	if (found->value != err || found->function >= (__u32)watch->nr)
		return;
	name = watch->names[found->function];
	if (err == -ENOENT && is_question(name))
		return;
	if (err == -ENOENT && is_answer(name))
		add_to_list(&seen->asked, name);
	else if (!seen->function)
		seen->function = name;
	else
		add_to_list(&seen->callers, name);
}

void why_seen__free(struct why_seen *seen)
{
	strbuf__free(&seen->callers);
	strbuf__free(&seen->asked);
}

void why_watch__see(struct why_watch *watch, const struct why_trial *trial, int err,
		    struct why_seen *seen)
{
	int map = bpf_map__fd(watch->skel->maps.seen);
	struct why_return found;

	watch->skel->bss->nr_seen = 0;
	if (why_trial__try(trial) != err)
		return;
	for (__u32 i = 0; i < watch->skel->bss->nr_seen && i < WHY_SEEN_MAX; i++)
		if (!bpf_map_lookup_elem(map, &i, &found))
			add_return(watch, &found, err, seen);
}
