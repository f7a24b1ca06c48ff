// SPDX-License-Identifier: GPL-2.0-only
/* Finds the places of USDT points: usdt:FILE:PROVIDER:NAME. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/base/near-names.h"
#include "util/base/strbuf.h"
#include "util/machine/scope/scope-search.h"
#include "util/machine/scope/scope-usdt.h"

struct finder {
	const struct scope_search *search;
	const struct point_spec *spec;
	struct scope_target target;
	struct scope_points *points;
	int first; /* index of the first new point */
};

/*
 * Returns whether the place has been added already. Instances of a template can have the same
 * place.
 */
static bool is_known(const struct finder *finder, const struct usdt_place *place)
{
	for (int i = finder->first; i < finder->points->nr; i++)
		if (finder->points->points[i].offset == place->offset)
			return true;
	return false;
}

static int add_place(const struct usdt_place *place, void *arg)
{
	struct finder *finder = arg;
	struct scope_point point = { .kind = POINT_USDT,
				     .file = finder->target.index,
				     .offset = place->offset,
				     .ref_ctr_offset = place->ref_ctr_offset,
				     .syscall = -1 };

	if ((finder->spec->group.pattern &&
	     !scope_word__matches(&finder->spec->group, place->provider)) ||
	    !scope_word__matches(&finder->spec->name, place->name) || is_known(finder, place))
		return 0;
	if (asprintf(&point.name, "%s:%s:%s", finder->target.label, place->provider, place->name) <
	    0)
		point.name = NULL;
	return scope_points__add(finder->points, &point);
}

struct offer {
	struct near_names *near;
	const char *wanted;
};

static int offer_place(const struct usdt_place *place, void *arg)
{
	const struct offer *offer = arg;

	near_names__offer(offer->near, offer->wanted, place->name);
	return 0;
}

static int refuse_unknown(const struct finder *finder)
{
	const struct point_spec *spec = finder->spec;
	struct near_names near = { 0 };
	struct offer offer = { &near, spec->name.text };

	scope_search__refuse(finder->search, spec->name.column, -ENOENT,
			     "%s has no USDT point '%s%s%s'", finder->target.label,
			     spec->group.text ?: "", spec->group.text ? ":" : "", spec->name.text);
	scope_usdt__each(&finder->target.elf, offer_place, &offer);
	for (int i = 0; i < near.nr; i++)
		strbuf__addf(finder->search->why, "%s'%s'",
			     i ? ", " : "\nsimilar names: ", near.names[i]);
	near_names__free(&near);
	return -ENOENT;
}

int scope_usdt__find(const struct scope_search *search, const struct point_spec *spec,
		     struct scope_points *points)
{
	struct finder finder = {
		.search = search, .spec = spec, .points = points, .first = points->nr
	};
	int err = scope_target__open(&finder.target, search, &spec->file);

	if (err)
		return err;
	err = scope_usdt__each(&finder.target.elf, add_place, &finder);
	if (err == -ENOENT)
		scope_search__refuse(search, spec->file.column, err, "%s has no USDT points",
				     finder.target.label);
	else if (!err && points->nr == finder.first)
		err = refuse_unknown(&finder);
	scope_target__close(&finder.target);
	return err;
}
