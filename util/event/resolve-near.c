// SPDX-License-Identifier: GPL-2.0-only
/* Suggests names for an unknown name. */
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "util/event/lexer.h"
#include "util/event/names.h"
#include "util/base/near-names.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/resolve.h"
#include "util/event/resolver.h"
#include "util/event/vendor.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

struct offer {
	struct near_names *near;
	const char *wanted;
};

static int offer_cache_name(const char *name, uint64_t config, void *arg)
{
	struct offer *offer = arg;

	(void)config;
	near_names__offer(offer->near, offer->wanted, name);
	return 0;
}

/*
 * Returns whether @name looks like the name of a vendor's event, such as inst_retired.any or
 * l1d_cache. Few other events have '.' or '_' in their names.
 */
static bool looks_like_vendor_name(const char *name)
{
	return strpbrk(name, "._") != NULL;
}

static void offer_vendor_names(struct resolver *r, const char *wanted)
{
	struct near_names *near = &r->error->near;
	struct strbuf *hint = &r->error->hint;
	const struct vendor_event *event;
	const char *missing;
	bool known = false;

	for (int i = 0; (event = vendor__get(r->env->vendor, i)); i++) {
		if (strcasecmp(event->name, wanted))
			near_names__offer(near, wanted, event->name);
		else
			known = true;
	}
	missing = vendor__missing(r->env->vendor);
	if (hint->len)
		return;
	if (known)
		strbuf__adds(
			hint,
			"the CPU's vendor has such an event, but this machine has no PMU that\n"
			"counts it (a virtual machine?)");
	else if (missing && !near->nr && looks_like_vendor_name(wanted))
		strbuf__adds(hint, missing);
}

void resolve_near__offer_names(struct resolver *r, const struct span *span, bool pmus_too)
{
	struct near_names *near = &r->error->near;
	struct pmus *pmus = resolver__pmus(r);
	char wanted[NAME_MAX + 1];
	const char *name;
	struct pmu *pmu;

	if (r->env->probing || !span__copy(span, wanted, sizeof(wanted)))
		return;
	for (const struct event_name *row = event_names; row->name; row++) {
		near_names__offer(near, wanted, row->name);
		if (row->alias)
			near_names__offer(near, wanted, row->alias);
	}
	event_name__for_each_cache(offer_cache_name, &(struct offer){ near, wanted });
	for (int i = 0; pmus && (pmu = pmus__get(pmus, i)); i++) {
		if (pmus_too)
			near_names__offer(near, wanted, pmu__name(pmu));
		for (int j = 0; (name = pmu__alias_name(pmu, j)); j++)
			near_names__offer(near, wanted, name);
	}
	if (r->env->vendor)
		offer_vendor_names(r, wanted);
}
