// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/resolve.h"
#include "util/event/resolver.h"
#include "util/machine/pmu.h"
#include "util/machine/pmus.h"

/* A member and the PMU whose group it goes to. */
struct member {
	struct evsel *evsel;
	const char *pmu; /* name; "" when none has the type */
	bool software;
	int order;
};

static struct pmu *pmu_of_type(struct pmus *pmus, uint32_t type)
{
	struct pmu *pmu;

	for (int i = 0; (pmu = pmus__get(pmus, i)); i++)
		if (!pmu__load(pmu) && pmu__type(pmu) == type)
			return pmu;
	return NULL;
}

static void find_pmu(struct pmus *pmus, struct member *member)
{
	const struct evsel *evsel = member->evsel;
	uint32_t type = evsel->attr.attr.type;
	struct pmu *pmu;

	if (evsel->pmu_name)
		pmu = pmus__find(pmus, evsel->pmu_name);
	else if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW)
		pmu = pmus__get(pmus, 0);
	else if (type < PERF_TYPE_MAX)
		pmu = NULL;
	else
		pmu = pmu_of_type(pmus, type);
	member->pmu = pmu ? pmu__name(pmu) : "";
	if (pmu)
		member->software = pmu__is_software(pmu);
	else
		member->software = type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ||
				   type == PERF_TYPE_BREAKPOINT;
}

static int compare(const void *a, const void *b)
{
	const struct member *left = a, *right = b;

	return strcmp(left->pmu, right->pmu) ?: left->order - right->order;
}

/* Software events go where the first of the others goes, so that they split nothing. */
static void place_software(struct member *members, int nr)
{
	const char *home = "";

	for (int i = nr - 1; i >= 0; i--)
		if (!members[i].software)
			home = members[i].pmu;
	for (int i = 0; i < nr; i++)
		if (members[i].software)
			members[i].pmu = home;
}

static void set_leaders(struct resolver *r, const struct member *members, int first, int nr, int *nr_groups)
{
	struct evsel *leader = NULL;

	*nr_groups = 0;
	for (int i = 0; i < nr; i++) {
		struct evsel *evsel = members[i].evsel;

		r->evlist->entries[first + i] = evsel;
		evsel->idx = first + i;
		evsel->nr_members = 0;
		if (!i || strcmp(members[i].pmu, members[i - 1].pmu)) {
			leader = evsel;
			++*nr_groups;
		}
		evsel->leader = leader;
		leader->nr_members++;
	}
}

int regroup__set_leaders(struct resolver *r, int first, bool expanded)
{
	int nr = r->evlist->nr - first, nr_groups;
	struct pmus *pmus = resolver__pmus(r);
	struct member *members = calloc((size_t)nr, sizeof(*members));

	if (!members || !pmus) {
		free(members);
		return -ENOMEM;
	}
	for (int i = 0; i < nr; i++) {
		members[i].evsel = r->evlist->entries[first + i];
		members[i].order = i;
		find_pmu(pmus, &members[i]);
	}
	place_software(members, nr);
	qsort(members, (size_t)nr, sizeof(*members), compare);
	set_leaders(r, members, first, nr, &nr_groups);
	if (nr_groups > 1 && !expanded)
		pr_warn("a group cannot span PMUs: %d groups were made of one", nr_groups);
	free(members);
	return 0;
}
