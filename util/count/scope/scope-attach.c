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
#include "util/count/scope/scope-programs.h"
#include "util/count/share/scope-links.h"
#include "util/machine/scope/scope.h"

/* A user-space point of the list. */
struct place {
	int file;
	bool at_end, at_return;
	uint64_t offset, ref_ctr_offset, cookie;
};

struct places {
	int nr;
	struct place *list;
};

static bool is_in_file(const struct scope_point *point)
{
	return point->kind == POINT_UPROBE || point->kind == POINT_USDT;
}

static int add_points(struct places *places, const struct scope_point *points, int nr, bool at_end,
		      uint64_t cookie, struct strbuf *why)
{
	struct place *list =
		realloc(places->list, sizeof(*list) * ((size_t)places->nr + (size_t)nr + 1));

	if (!list)
		return -ENOMEM;
	places->list = list;
	for (int i = 0; i < nr; i++) {
		if (!is_in_file(&points[i]))
			return reason__set(why, -EOPNOTSUPP,
					   "--scope: %s: pstat does not yet count between points "
					   "of kind %s\n"
					   "use uprobe: or usdt:",
					   points[i].name, point_kind__name(points[i].kind));
		list[places->nr++] = (struct place){
			.file = points[i].file,
			.at_end = at_end,
			.at_return = points[i].at_return,
			.offset = points[i].offset,
			.ref_ctr_offset = points[i].ref_ctr_offset,
			.cookie = cookie,
		};
	}
	return 0;
}

/* Does the run end when the function returns that it began with? */
static bool is_function(const struct scope *scope)
{
	return scope->nr_begin == 1 && scope->nr_end == 1 && !scope->begin->at_return &&
	       scope->end->at_return && scope->begin->kind == scope->end->kind &&
	       scope->begin->file == scope->end->file && scope->begin->offset == scope->end->offset;
}

static int list_places(struct places *places, const struct scope_list *list, bool per_scope,
		       struct strbuf *why)
{
	int err = 0;

	for (int i = 0; !err && i < list->nr; i++) {
		const struct scope *scope = &list->scopes[i];
		uint64_t cookie = SCOPE_COOKIE(i, per_scope ? i : 0, is_function(scope) ? 1 : 0);

		err = add_points(places, scope->begin, scope->nr_begin, false, cookie, why);
		err = err ?: add_points(places, scope->end, scope->nr_end, true, cookie, why);
	}
	return err;
}

/* Ends before begins; the points that one link can have are neighbours. */
static int compare(const void *a, const void *b)
{
	const struct place *one = a, *two = b;

	if (one->at_end != two->at_end)
		return two->at_end - one->at_end;
	if (one->file != two->file)
		return one->file - two->file;
	if (one->at_return != two->at_return)
		return one->at_return - two->at_return;
	if (one->offset != two->offset)
		return one->offset < two->offset ? -1 : 1;
	return one->cookie < two->cookie ? -1 : one->cookie > two->cookie;
}

static bool is_same(const struct place *a, const struct place *b)
{
	return a->at_end == b->at_end && a->file == b->file && a->at_return == b->at_return &&
	       a->offset == b->offset;
}

/* Scopes with points that belong to another scope. */
struct repeated {
	int nr;		  /* number of points */
	int scope, owner; /* of the first of these points, and the scope that it belongs to */
};

/* If all scopes share a row, it does not matter to which of two functions a call belongs. */
static bool is_function_twice(const struct scope_list *list, int one, int other)
{
	return is_function(&list->scopes[one]) && is_function(&list->scopes[other]);
}

static void drop_repeated(struct places *places, const struct scope_list *list, bool per_scope,
			  struct repeated *repeated)
{
	int kept = 0;

	for (int i = 0; i < places->nr; i++) {
		int scope = (int)SCOPE_COOKIE_SCOPE(places->list[i].cookie), owner;

		if (!kept || !is_same(&places->list[kept - 1], &places->list[i])) {
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
	pr_warn("--scope: %d point%s in several scopes, and each counts only for the first of "
		"them: %s has a point that belongs to %s%s",
		repeated->nr, repeated->nr == 1 ? " is" : "s are", name,
		strcmp(name, owner) ? owner : "a scope of the same name",
		strcmp(name, owner) ? "" : " before it");
}

static bool share_link(const struct place *a, const struct place *b)
{
	return a->at_end == b->at_end && a->file == b->file && a->at_return == b->at_return;
}

/* Attaches @nr places of one file with one link. */
static int attach(const struct scope_programs *programs, const struct scope_list *list,
		  const struct place *places, int nr, struct scope_links *links, struct strbuf *why)
{
	const struct scope_file *file = &list->files[places->file];
	const struct bpf_program *prog = places->at_end ? programs->skel->progs.pstat_end :
							  programs->skel->progs.pstat_begin;
	uint64_t *words = calloc((size_t)nr * 3, sizeof(*words));
	struct scope_uprobes uprobes = { .option = "--scope",
					 .at_return = places->at_return,
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
		uprobes.offsets[i] = places[i].offset;
		uprobes.ref_ctr_offsets[i] = places[i].ref_ctr_offset;
		uprobes.cookies[i] = places[i].cookie;
	}
	err = scope_links__add_uprobes(links, bpf_program__fd(prog), programs->multi, &uprobes,
				       file->path, why);
	free(words);
	return err;
}

int scope_attach(const struct scope_programs *programs, const struct scope_list *list,
		 bool per_scope, struct scope_links *links, struct strbuf *why)
{
	struct places places = { .nr = 0 };
	struct repeated repeated = { .nr = 0 };
	int err = list_places(&places, list, per_scope, why);

	qsort(places.list, (size_t)places.nr, sizeof(*places.list), compare);
	drop_repeated(&places, list, per_scope, &repeated);
	warn_of_repeated(&repeated, list);
	for (int first = 0, nr; !err && first < places.nr; first += nr) {
		for (nr = 1; first + nr < places.nr; nr++)
			if (!share_link(&places.list[first], &places.list[first + nr]))
				break;
		err = attach(programs, list, &places.list[first], nr, links, why);
	}
	free(places.list);
	return err;
}
