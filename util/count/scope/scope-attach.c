// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-attach.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/scope/scope-class.h"
#include "util/count/scope/scope-func-probes.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/share/scope-kernel.h"
#include "util/count/share/scope-links.h"
#include "util/machine/scope/scope.h"

/* A point of a scope, and the cookie (SCOPE_COOKIE()) for the BPF program at the point. */
struct place {
	const struct scope_point *point;
	enum scope_class class;
	bool at_end;
	/*
	 * Runs of the scope begin at this place, and can also end at its point. To end the old run
	 * before the new run begins, pstat first attaches the program that begins runs, because the
	 * kernel runs programs in the reverse order of their attachment.
	 */
	bool is_early;
	uint64_t cookie;
};

struct places {
	int nr;
	struct place *list;
};

struct attaching {
	struct scope_programs *programs;
	const struct scope_list *list;
	struct scope_links *links;
	struct strbuf *why;
};

static int add_points(struct places *places, const struct scope_point *points, int nr, bool at_end,
		      uint64_t cookie)
{
	struct place *list =
		realloc(places->list, sizeof(*list) * ((size_t)places->nr + (size_t)nr + 1));

	if (!list)
		return -ENOMEM;
	places->list = list;
	for (int i = 0; i < nr; i++)
		list[places->nr++] = (struct place){
			.point = &points[i],
			.class = scope_class__of(&points[i]),
			.at_end = at_end,
			.cookie = cookie,
		};
	return 0;
}

static int list_places(struct places *places, const struct scope_list *list, bool per_scope)
{
	int err = 0;

	for (int i = 0; !err && i < list->nr; i++) {
		const struct scope *scope = &list->scopes[i];
		uint64_t cookie = SCOPE_COOKIE(i, per_scope ? i : 0,
					       scope__is_function(scope) ? 1 : 0,
					       scope_class__kind(scope));

		err = add_points(places, scope->begin, scope->nr_begin, false, cookie);
		err = err ?: add_points(places, scope->end, scope->nr_end, true, cookie);
	}
	return err;
}

/* Returns @point's tracepoint id, system call number or offset; meaningless for POINT_FUNC. */
static uint64_t number_of(const struct scope_point *point)
{
	return point->kind == POINT_TP	    ? point->tp_id :
	       point->kind == POINT_SYSCALL ? (uint64_t)point->syscall :
					      point->offset;
}

/* Compares the properties that all places of a link share. Sorts ends of runs before beginnings. */
static int compare_links(const struct place *one, const struct place *two)
{
	if (one->at_end != two->at_end)
		return two->at_end - one->at_end;
	if (one->class != two->class)
		return one->class < two->class ? -1 : 1;
	if (one->point->file != two->point->file)
		return one->point->file - two->point->file;
	return one->point->at_return - two->point->at_return;
}

/* Compares the names. Names are not unique, so also compares the addresses if both are known. */
static int compare_functions(const struct scope_point *one, const struct scope_point *two)
{
	int order = strcmp(one->func, two->func);

	if (order || !one->address || !two->address || one->address == two->address)
		return order;
	return one->address < two->address ? -1 : 1;
}

static int compare_places(const struct place *one, const struct place *two)
{
	uint64_t first = number_of(one->point), second = number_of(two->point);
	int order = compare_links(one, two);

	if (order)
		return order;
	if (one->class == SCOPE_CLASS_FUNC)
		return compare_functions(one->point, two->point);
	return (first > second) - (first < second);
}

/*
 * Returns whether a thread that passes @begin ends a run of @scope and begins the next run. Returns
 * false for the scope FUNCTION..FUNCTION%returns if the function has a single instruction: its
 * entry is also its return instruction, so one pass begins and ends the same run.
 */
static bool ends_at(const struct scope *scope, const struct place *begin)
{
	for (int i = 0; i < scope->nr_end; i++) {
		const struct place end = { .point = &scope->end[i],
					   .class = scope_class__of(&scope->end[i]) };

		if (!compare_places(begin, &end) &&
		    begin->point->is_return_instruction == end.point->is_return_instruction)
			return true;
	}
	return false;
}

/*
 * Sets `is_early` of each place. At tracepoints, `is_early` stays false, because the kernel runs
 * the programs there in the order of their attachment.
 */
static void find_early(struct places *places, const struct scope_list *list)
{
	for (int i = 0; i < places->nr; i++) {
		struct place *place = &places->list[i];
		const struct scope *scope = &list->scopes[SCOPE_COOKIE_SCOPE(place->cookie)];

		if (!place->at_end && place->class != SCOPE_CLASS_TP && !scope__is_function(scope))
			place->is_early = ends_at(scope, place);
	}
}

static int compare(const void *a, const void *b)
{
	const struct place *one = a, *two = b;

	return compare_places(one, two) ?:
		       (int)SCOPE_COOKIE_SCOPE(one->cookie) - (int)SCOPE_COOKIE_SCOPE(two->cookie);
}

/*
 * Returns whether the same link can serve both places. A link identifies all its kernel functions
 * by name, or all of them by address.
 */
static bool share_link(const struct place *one, const struct place *two)
{
	return one->is_early == two->is_early && !compare_links(one, two) &&
	       !one->point->address == !two->point->address;
}

/* Compares two places for qsort(3). Sorts places that can share a link next to each other. */
static int compare_for_links(const void *a, const void *b)
{
	const struct place *one = a, *two = b;

	return two->is_early - one->is_early			     ?:
		       compare_links(one, two)			     ?:
		       (!one->point->address - !two->point->address) ?:
								       compare(one, two);
}

/* Dropped points that pstat warns about. Each of them also belongs to an earlier scope. */
struct repeated {
	int nr;
	/* `scope` had the first dropped point; `owner` is the earlier scope that keeps it */
	int scope, owner;
};

/*
 * Returns whether the scopes @one and @other are both functions. If such scopes share a point and a
 * row of the report, it does not matter for which of them a call is counted.
 */
static bool is_function_twice(const struct scope_list *list, int one, int other)
{
	return scope__is_function(&list->scopes[one]) && scope__is_function(&list->scopes[other]);
}

static void drop_repeated(struct places *places, const struct scope_list *list, bool per_scope,
			  struct repeated *repeated)
{
	int kept = 0;

	for (int i = 0; i < places->nr; i++) {
		int scope = (int)SCOPE_COOKIE_SCOPE(places->list[i].cookie), owner;

		if (!kept || compare_places(&places->list[kept - 1], &places->list[i])) {
			places->list[kept++] = places->list[i];
			continue;
		}
		owner = (int)SCOPE_COOKIE_SCOPE(places->list[kept - 1].cookie);
		if (owner == scope || (!per_scope && is_function_twice(list, owner, scope)))
			continue;
		if (!repeated->nr++) {
			repeated->scope = scope;
			repeated->owner = owner;
		}
	}
	places->nr = kept;
}

static void warn_of_repeated(const struct repeated *repeated, const struct scope_list *list)
{
	const char *name = list->scopes[repeated->scope].name,
		   *owner = list->scopes[repeated->owner].name;

	if (!repeated->nr)
		return;
	pr_warn("--scope: %d point%s in several scopes, and pstat counts only the first of these "
		"scopes there: %s shares a point with %s",
		repeated->nr, repeated->nr == 1 ? " is" : "s are", name,
		strcmp(name, owner) ? owner : "an earlier scope of the same name");
}

/* Each of the next three functions attaches a program at @nr places that can share a link. */

static int attach_user(const struct attaching *how, const struct place *places, int nr)
{
	const struct scope_bpf *skel = how->programs->skel;
	const struct scope_file *file = &how->list->files[places->point->file];
	const struct bpf_program *prog = places->at_end ? skel->progs.pstat_end :
							  skel->progs.pstat_begin;
	uint64_t *words = calloc((size_t)nr * 3, sizeof(*words));
	struct scope_uprobes uprobes = { .option = "--scope",
					 .at_return = places->point->at_return,
					 .nr = nr };
	char path[64];
	int err;

	if (!words)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	uprobes.path = path;
	uprobes.offsets = words;
	uprobes.ref_ctr_offsets = words + nr;
	uprobes.cookies = words + nr * 2;
	for (int i = 0; i < nr; i++) {
		uprobes.offsets[i] = places[i].point->offset;
		uprobes.ref_ctr_offsets[i] = places[i].point->ref_ctr_offset;
		uprobes.cookies[i] = places[i].cookie;
	}
	err = scope_links__add_uprobes(how->links, bpf_program__fd(prog), how->programs->multi,
				       &uprobes, file->path, how->why);
	free(words);
	return err;
}

static int attach_functions(const struct attaching *how, const struct place *places, int nr)
{
	const char **names = calloc((size_t)nr, sizeof(*names));
	uint64_t *words = calloc((size_t)nr * 2, sizeof(*words));
	struct scope_functions functions = { .option = "--scope",
					     .at_return = places->point->at_return,
					     .nr = nr,
					     .names = names,
					     .addresses = places->point->address ? words : NULL,
					     .cookies = words + nr };
	int err = names && words ? 0 : -ENOMEM;

	for (int i = 0; !err && i < nr; i++) {
		names[i] = places[i].point->func;
		functions.cookies[i] = places[i].cookie;
		words[i] = places[i].point->address;
	}
	err = err   ?:
		      scope_func_probes__attach(how->programs, how->links, places->at_end,
						&functions, how->why);
	free(names);
	free(words);
	return err;
}

static int attach_tps(const struct attaching *how, const struct place *places, int nr)
{
	const struct scope_bpf *skel = how->programs->skel;
	const struct bpf_program *prog = places->at_end ? skel->progs.pstat_tp_end :
							  skel->progs.pstat_tp_begin;
	int err = 0;

	for (int i = 0; !err && i < nr; i++) {
		const struct scope_tracepoint tracepoint = {
			.option = "--scope",
			.name = places[i].point->name,
			.id = places[i].point->tp_id,
			.cookie = places[i].cookie,
		};

		err = scope_kernel__add_tp(how->links, bpf_program__fd(prog), &tracepoint,
					   how->why);
	}
	return err;
}

/*
 * Stores the cookies of system calls in a table that the BPF programs read.
 * scope_attach__syscalls() attaches these programs once, for all system calls.
 */
static int note_syscalls(const struct attaching *how, const struct place *places, int nr)
{
	int err = 0;

	for (int i = 0; !err && i < nr; i++) {
		const struct scope_point *point = places[i].point;
		enum scope_syscall_point at = places->at_end   ? point->at_return ?
								 SCOPE_END_AT_RETURN :
								 SCOPE_END_AT_ENTRY :
					      point->at_return ? SCOPE_BEGIN_AT_RETURN :
								 SCOPE_BEGIN_AT_ENTRY;

		/*
		 * if the scope is a whole system call, pstat_sys_exit needs no cookie: a thread
		 * executes only one call at a time, so the next return ends the run
		 */
		if (SCOPE_COOKIE_AT_RETURN(places[i].cookie) && places->at_end)
			continue;
		err = scope_programs__set_syscall(how->programs, point->syscall, at,
						  places[i].cookie);
	}
	return reason__set(how->why, err, "--scope: the system calls cannot be stored: %s",
			   strerror(-err));
}

static int attach(const struct attaching *how, const struct place *places, int nr)
{
	switch (places->class) {
	case SCOPE_CLASS_TP:
		return attach_tps(how, places, nr);
	case SCOPE_CLASS_SYSCALL:
		return note_syscalls(how, places, nr);
	case SCOPE_CLASS_FUNC:
	case SCOPE_CLASS_FUNC_ENTRY:
	case SCOPE_CLASS_FUNC_RETURN:
		return attach_functions(how, places, nr);
	case SCOPE_CLASS_USER:
	case SCOPE_CLASS_POINT:
	case SCOPE_NR_CLASSES:
		break;
	}
	return attach_user(how, places, nr);
}

/* Attaches @prog to the tracepoint @name, which fires for every system call. */
static int attach_at_syscalls(const struct scope_programs *programs, struct scope_links *links,
			      const struct bpf_program *prog, const char *name, struct strbuf *why)
{
	struct scope_tracepoint tracepoint = { .option = "--scope", .name = name };
	char path[64];
	int err;

	if (!programs->preemptible)
		return scope_kernel__add_raw(links, bpf_program__fd(prog), name, why);
	snprintf(path, sizeof(path), "events/raw_syscalls/%s/id", name);
	err = sysfs__read_u64(sysroots__host()->tracefs, path, &tracepoint.id);
	if (err)
		return reason__set(why, err,
				   "--scope: %s/%s cannot be read (%s): run pstat as root, with "
				   "tracefs mounted",
				   sysroots__host()->tracefs, path, strerror(-err));
	return scope_kernel__add_tp(links, bpf_program__fd(prog), &tracepoint, why);
}

int scope_attach__syscalls(const struct scope_programs *programs, struct scope_links *links,
			   struct strbuf *why)
{
	const struct scope_bpf *skel = programs->skel;
	int err = 0;

	/* pstat_sys_exit is not loaded if only the calibration uses system calls */
	if (bpf_program__autoload(skel->progs.pstat_sys_exit))
		err = attach_at_syscalls(programs, links, skel->progs.pstat_sys_exit, "sys_exit",
					 why);
	if (err)
		return err;
	return attach_at_syscalls(programs, links, skel->progs.pstat_sys_enter, "sys_enter", why);
}

/* Attaches the programs that do not belong to individual points. */
static int attach_rest(const struct attaching *how, const struct places *places)
{
	int err = 0;

	if (scope_class__all(how->list) & 1U << SCOPE_CLASS_SYSCALL)
		err = scope_attach__syscalls(how->programs, how->links, how->why);
	/*
	 * If a scope has a point at context switches, exits or execs, reattach the program that
	 * scope_programs__watch() attached there, so that it runs after the programs that begin and
	 * end runs. So at a context switch, runs begin and end before pstat_on_switch is executed.
	 * At an exit or exec, runs that end there are counted before this program drops the runs in
	 * progress.
	 */
	for (int i = 0; !err && i < places->nr; i++)
		if (places->list[i].class == SCOPE_CLASS_TP)
			err = scope_programs__watch_last(how->programs,
							 places->list[i].point->event, how->why);
	return err;
}

int scope_attach(struct scope_programs *programs, const struct scope_list *list, bool per_scope,
		 struct scope_links *links, struct strbuf *why)
{
	const struct attaching how = { programs, list, links, why };
	struct places places = { .nr = 0 };
	struct repeated repeated = { .nr = 0 };
	int err = list_places(&places, list, per_scope);

	if (err)
		goto out;
	find_early(&places, list);
	qsort(places.list, (size_t)places.nr, sizeof(*places.list), compare);
	drop_repeated(&places, list, per_scope, &repeated);
	warn_of_repeated(&repeated, list);
	qsort(places.list, (size_t)places.nr, sizeof(*places.list), compare_for_links);
	for (int first = 0, nr; !err && first < places.nr; first += nr) {
		for (nr = 1; first + nr < places.nr; nr++)
			if (!share_link(&places.list[first], &places.list[first + nr]))
				break;
		err = attach(&how, &places.list[first], nr);
	}
	err = err ?: attach_rest(&how, &places);
out:
	scope_func_probes__end_trial(programs);
	free(places.list);
	return err;
}
