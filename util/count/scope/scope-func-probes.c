// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ways in which functions of the kernel can be probed, from the cheapest to the most expensive:
 *
 * fentry   trampolines, with a separate program for each point. Used only if there are at most
 *          SCOPE_FENTRY_MOST functions, because the kernel needs 0.1 s to detach the last program
 *          from a function. All functions must be global: see are_safe()
 * session  one link for all functions; its program runs at entries and returns (Linux 6.10;
 *          arm64: 6.14). Used only if each scope with a point at a kernel function is a whole
 *          function
 * multi    one link for all entries, and one for all returns (Linux 5.18; arm64: 6.14)
 * events   a perf event with a kprobe for each point
 */
#include "util/count/scope/scope-func-probes.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/scope/scope-class.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-sections.h"
#include "util/count/share/scope-kernel.h"
#include "util/count/share/scope-links.h"
#include "util/count/stat-config.h"
#include "util/machine/bpf/kernel-btf.h"
#include "util/machine/scope/scope-kernel-lists.h"
#include "util/machine/scope/scope.h"

/* ---- which functions ---- */

/*
 * If @point is at a kernel function, adds this function to @fentry, unless @fentry already contains
 * it. Returns false if fentry cannot probe this function, or if there are too many functions.
 */
static bool list_function(struct scope_fentry *fentry, const struct scope_point *point)
{
	if (point->kind != POINT_FUNC)
		return true;
	for (int i = 0; i < fentry->nr; i++)
		/* fentry cannot choose between two functions with the same name */
		if (!strcmp(fentry->types[i].name, point->func))
			return fentry->addresses[i] == point->address;
	if (point->module || fentry->nr == SCOPE_FENTRY_MOST)
		return false;
	fentry->addresses[fentry->nr] = point->address;
	fentry->types[fentry->nr++] =
		(struct kernel_btf_type){ .name = point->func, .kind = BTF_KIND_FUNC };
	return true;
}

static bool list_functions(struct scope_fentry *fentry, const struct scope_list *list)
{
	for (int i = 0; i < list->nr; i++) {
		const struct scope *scope = &list->scopes[i];

		for (int j = 0; j < scope->nr_begin; j++)
			if (!list_function(fentry, &scope->begin[j]))
				return false;
		for (int j = 0; j < scope->nr_end; j++)
			if (!list_function(fentry, &scope->end[j]))
				return false;
	}
	return true;
}

/*
 * Returns whether all functions are global. Several static functions can have the same name, and
 * the kernel's BTF may then describe the wrong function. A trampoline passes on to the function
 * only the arguments that BTF describes. For example, the BTF of Linux 6.12 (arm64) describes a
 * function read_zero() with two arguments instead of four, so a trampoline made read(2) of
 * /dev/zero return 0.
 */
static bool are_safe(const struct scope_fentry *fentry)
{
	const char *names[SCOPE_FENTRY_MOST + 1];

	for (int i = 0; i < fentry->nr; i++)
		names[i] = fentry->types[i].name;
	if (scope_kernel_lists__are_global(sysroots__host(), names, fentry->nr))
		return true;
	pr_debug("--scope: no fentry programs are used: not all functions are global");
	return false;
}

/*
 * Returns whether each scope in @list with a point at a kernel function is a whole function.
 */
static bool all_are_functions(const struct scope_list *list)
{
	for (int i = 0; i < list->nr; i++) {
		const struct scope *scope = &list->scopes[i];

		if ((scope->begin->kind == POINT_FUNC || scope->end->kind == POINT_FUNC) &&
		    !scope__is_function(scope))
			return false;
	}
	return true;
}

/* ---- trying ---- */

/*
 * Looks up the @nr types in the kernel's BTF, and sets their IDs. Returns whether all types were
 * found.
 */
static bool find_types(struct kernel_btf_type *types, int nr)
{
	struct kernel_btf *btf;
	bool found = !kernel_btf__open(sysroots__host(), &btf);

	if (!found)
		return false;
	found = !kernel_btf__find(btf, types, nr);
	for (int i = 0; found && i < nr; i++)
		found = types[i].id;
	kernel_btf__close(btf);
	return found;
}

/*
 * Attaches an empty fentry program to the function with the BTF id @func_id. Returns the fd of the
 * link, or -errno.
 */
static int try_fentry(uint32_t func_id)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = func_id);
	LIBBPF_OPTS(bpf_link_create_opts, link_opts, .tracing.cookie = 1);
	int prog_fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "pstat_probe", "GPL", insns, 2, &opts);
	int fd = prog_fd < 0 ? -1 : bpf_link_create(prog_fd, 0, BPF_TRACE_FENTRY, &link_opts);

	fd = fd < 0 ? -errno : fd;
	if (prog_fd >= 0)
		close(prog_fd);
	return fd;
}

/*
 * Tries to attach an empty fentry program to each function. Returns whether this worked for all
 * functions. The empty programs stay attached until the counting programs are attached, because
 * detaching the last program from a function takes a long time.
 */
static bool try_fentries(struct scope_fentry *fentry)
{
	for (int i = 0; i < fentry->nr_tried; i++) {
		fentry->trial[i] = try_fentry(fentry->types[i].id);
		if (fentry->trial[i] < 0) {
			pr_debug("--scope: no fentry program can be attached at %s: %s",
				 fentry->types[i].name, strerror(-fentry->trial[i]));
			return false;
		}
	}
	return true;
}

void scope_func_probes__end_trial(struct scope_programs *programs)
{
	struct scope_fentry *fentry = &programs->fentry;

	for (int i = 0; i < fentry->nr_tried; i++)
		if (fentry->trial[i] >= 0) {
			close(fentry->trial[i]);
			fentry->trial[i] = -1;
		}
}

static bool can_use_fentry(struct scope_programs *programs, const struct stat_config *cfg)
{
	struct scope_fentry *fentry = &programs->fentry;

	for (int i = 0; i < SCOPE_FENTRY_MOST; i++)
		fentry->trial[i] = -1;
	if (!list_functions(fentry, cfg->scopes) || !are_safe(fentry))
		return false;
	fentry->nr_tried = fentry->nr;
	/*
	 * attach no empty program to the function SCOPE_FUNC_EMPTY, because the program would
	 * change the measured cost
	 */
	if (!cfg->no_calibrate)
		fentry->types[fentry->nr++] =
			(struct kernel_btf_type){ .name = SCOPE_FUNC_EMPTY, .kind = BTF_KIND_FUNC };
	if (find_types(fentry->types, fentry->nr) && try_fentries(fentry)) {
		scope_sections__use_fentry(fentry->types[0].id);
		return true;
	}
	scope_func_probes__end_trial(programs);
	return false;
}

static bool can_use_session(const struct stat_config *cfg)
{
	struct kernel_btf_type is_return = { .name = "bpf_session_is_return",
					     .kind = BTF_KIND_FUNC };

	if (!all_are_functions(cfg->scopes) || !find_types(&is_return, 1) ||
	    !scope_kernel__have_links(FUNC_LINKS_SESSION))
		return false;
	scope_sections__use_session(is_return.id);
	return true;
}

/*
 * How many kprobes Linux 6.12 can detach per second (measured; see NOTES.md). pstat warns if
 * detaching will take LONG_SECONDS or longer.
 */
#define DETACHES_PER_SECOND 28
#define LONG_SECONDS 3

static void warn_of_detaching(const struct scope_list *list)
{
	int points = 0;

	for (int i = 0; i < list->nr; i++) {
		const struct scope *scope = &list->scopes[i];

		points += scope->begin->kind == POINT_FUNC ? scope->nr_begin : 0;
		points += scope->end->kind == POINT_FUNC ? scope->nr_end : 0;
	}
	if (points / DETACHES_PER_SECOND >= LONG_SECONDS)
		pr_warn("--scope: this kernel attaches a kprobe for each of the %d points in its "
			"functions, and will need about %d s to detach them at the end",
			points, points / DETACHES_PER_SECOND);
}

static const char *const descriptions[] = {
	[FUNC_LINKS_EVENTS] = "a kprobe for each point",
	[FUNC_LINKS_MULTI] = "two links for all functions (kprobe_multi)",
	[FUNC_LINKS_SESSION] = "one link for all functions (kprobe.session)",
	[FUNC_LINKS_FENTRY] = "fentry and fexit programs",
};

static bool has_functions(const struct stat_config *cfg)
{
	return cfg->scopes && scope_class__all(cfg->scopes) & SCOPE_CLASSES_FUNC;
}

/*
 * Finds out which ways of probing functions work on this kernel, and returns the cheapest of them.
 * If no other way works, returns FUNC_LINKS_EVENTS without trying it.
 */
static enum scope_func_links find_links(struct scope_programs *programs,
					const struct stat_config *cfg)
{
	if (can_use_fentry(programs, cfg))
		return FUNC_LINKS_FENTRY;
	if (can_use_session(cfg))
		return FUNC_LINKS_SESSION;
	if (scope_kernel__have_links(FUNC_LINKS_MULTI))
		return FUNC_LINKS_MULTI;
	return FUNC_LINKS_EVENTS;
}

int scope_func_probes__test(const struct stat_config *cfg, struct strbuf *why)
{
	struct scope_programs programs = { .skel = NULL };
	enum scope_func_links links;

	if (!has_functions(cfg))
		return 0;
	links = find_links(&programs, cfg);
	scope_func_probes__end_trial(&programs);
	return scope_kernel__check(links, "--scope", why);
}

int scope_func_probes__choose(struct scope_programs *programs, const struct stat_config *cfg,
			      struct strbuf *why)
{
	struct scope_bpf *skel = programs->skel;
	bool used = has_functions(cfg), pair;
	enum scope_func_links links = used ? find_links(programs, cfg) : FUNC_LINKS_EVENTS;
	int err;

	programs->func_links = links;
	pair = used && (links == FUNC_LINKS_EVENTS || links == FUNC_LINKS_MULTI);
	bpf_program__set_autoload(skel->progs.pstat_func_begin, pair);
	bpf_program__set_autoload(skel->progs.pstat_func_end, pair);
	bpf_program__set_autoload(skel->progs.pstat_func_session, links == FUNC_LINKS_SESSION);
	bpf_program__set_autoload(skel->progs.pstat_fentry_begin, links == FUNC_LINKS_FENTRY);
	bpf_program__set_autoload(skel->progs.pstat_fentry_end, links == FUNC_LINKS_FENTRY);
	if (!used)
		return 0;
	err = scope_kernel__check(links, "--scope", why);
	if (err)
		return err;
	if (links == FUNC_LINKS_MULTI) {
		bpf_program__set_expected_attach_type(skel->progs.pstat_func_begin,
						      BPF_TRACE_KPROBE_MULTI);
		bpf_program__set_expected_attach_type(skel->progs.pstat_func_end,
						      BPF_TRACE_KPROBE_MULTI);
	}
	programs->params[SCOPE_PARAM_FUNCTIONS_ONLY] = all_are_functions(cfg->scopes);
	if (links == FUNC_LINKS_EVENTS)
		warn_of_detaching(cfg->scopes);
	pr_info("--scope: functions of the kernel are probed with %s", descriptions[links]);
	return 0;
}

/* ---- attaching ---- */

static uint32_t id_of(const struct scope_fentry *fentry, const char *name)
{
	for (int i = 0; i < fentry->nr; i++)
		if (!strcmp(fentry->types[i].name, name))
			return fentry->types[i].id;
	return 0;
}

static int add_fentry(const struct scope_programs *programs, struct scope_links *links,
		      const struct bpf_program *prog, const char *name, bool at_return,
		      uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = cookie);
	int prog_fd = scope_sections__load_fentry(prog, id_of(&programs->fentry, name), at_return);
	int fd;

	if (prog_fd < 0)
		return prog_fd;
	fd = bpf_link_create(prog_fd, 0, at_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY, &opts);
	fd = fd < 0 ? -errno : fd;
	close(prog_fd);
	return fd < 0 ? fd : scope_links__add(links, fd, -1);
}

static int add_fentries(const struct scope_programs *programs, struct scope_links *links,
			bool at_end, const struct scope_functions *functions, struct strbuf *why)
{
	const struct scope_bpf *skel = programs->skel;
	const struct bpf_program *prog = at_end ? skel->progs.pstat_fentry_end :
						  skel->progs.pstat_fentry_begin;

	for (int i = 0; i < functions->nr; i++) {
		int err = add_fentry(programs, links, prog, functions->names[i],
				     functions->at_return, functions->cookies[i]);

		if (err)
			return reason__set(
				why, err, "--scope: func:%s: no %s program can be attached: %s",
				functions->names[i], functions->at_return ? "fexit" : "fentry",
				strerror(-err));
	}
	return 0;
}

int scope_func_probes__attach(const struct scope_programs *programs, struct scope_links *links,
			      bool at_end, const struct scope_functions *functions,
			      struct strbuf *why)
{
	const struct scope_bpf *skel = programs->skel;
	const struct bpf_program *prog = at_end ? skel->progs.pstat_func_end :
						  skel->progs.pstat_func_begin;

	if (programs->func_links == FUNC_LINKS_FENTRY)
		return add_fentries(programs, links, at_end, functions, why);
	if (programs->func_links == FUNC_LINKS_SESSION) {
		/* the same program runs at both points, so it is attached only once */
		if (at_end)
			return 0;
		prog = skel->progs.pstat_func_session;
	}
	return scope_kernel__add_functions(links, bpf_program__fd(prog), programs->func_links,
					   functions, why);
}
