// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/export/export-totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"

/*
 * After this time, the weight of an increase is 1/2 if pstat read the counts only once, at the end
 * of this time, or about 0.37 (1/e) if it read them often.
 */
#define HALF_LIFE_NS (300 * NSEC_PER_SEC)

struct total {
	uint64_t count; /* the largest count so far */
	uint64_t shown;
};

struct rank {
	double score; /* -1: the subject is not live */
	double more;  /* the increase since the previous choice */
	bool is_chosen;
};

struct export_totals {
	int nr_events, nr_places, top;
	struct total *totals; /* [place][event] */
	struct rank *ranks;   /* [place]; NULL without --top */
	int *order;	      /* places, for sorting */
	uint64_t *rest;	      /* [event] */
};

struct export_totals *export_totals__new(int nr_events, int top)
{
	struct export_totals *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->nr_events = nr_events;
	t->top = top;
	t->rest = calloc((size_t)nr_events + 1, sizeof(*t->rest));
	if (t->rest)
		return t;
	free(t);
	return NULL;
}

void export_totals__free(struct export_totals *t)
{
	if (!t)
		return;
	free(t->totals);
	free(t->ranks);
	free(t->order);
	free(t->rest);
	free(t);
}

/*
 * Extends the array @old from @had to @nr elements. New elements are zero. Returns NULL if memory
 * ran out; @old is then unchanged.
 */
static void *extended(void *old, size_t size, size_t had, size_t nr)
{
	char *bigger = reallocarray(old, nr, size);

	if (bigger)
		memset(bigger + had * size, 0, (nr - had) * size);
	return bigger;
}

static int grow_ranks(struct export_totals *t, size_t had, size_t nr)
{
	struct rank *ranks = extended(t->ranks, sizeof(*ranks), had, nr);
	int *order;

	if (!ranks)
		return -ENOMEM;
	t->ranks = ranks;
	order = extended(t->order, sizeof(*order), had, nr);
	if (!order)
		return -ENOMEM;
	t->order = order;
	return 0;
}

int export_totals__grow(struct export_totals *t, int nr_places)
{
	size_t had = (size_t)t->nr_places, nr = (size_t)nr_places, events = (size_t)t->nr_events;
	struct total *totals;

	if (nr_places <= t->nr_places)
		return 0;
	totals = extended(t->totals, sizeof(*totals), had * events, nr * events);
	if (!totals)
		return -ENOMEM;
	t->totals = totals;
	if (t->top && grow_ranks(t, had, nr))
		return -ENOMEM;
	t->nr_places = nr_places;
	return 0;
}

static struct total *total_of(const struct export_totals *t, int place, int event)
{
	return &t->totals[(size_t)place * (size_t)t->nr_events + (size_t)event];
}

void export_totals__restart(struct export_totals *t, int place, bool continues)
{
	for (int event = 0; event < t->nr_events; event++) {
		struct total *total = total_of(t, place, event);

		total->shown = 0;
		if (!continues)
			total->count = 0;
	}
	if (t->ranks)
		t->ranks[place] = (struct rank){ 0 };
}

/* ---- --top ---- */

void export_totals__rank(struct export_totals *t, int place, int event, uint64_t count,
			 bool is_live)
{
	uint64_t had = total_of(t, place, event)->count;
	struct rank *rank = &t->ranks[place];

	rank->more = count > had ? (double)(count - had) : 0.0;
	if (!is_live)
		rank->score = -1.0;
	else if (rank->score < 0.0)
		rank->score = 0.0;
}

/* Compares two places for qsort_r(): the larger score comes first. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct rank *ranks = ctx;
	int one = *(const int *)a, other = *(const int *)b;

	if (ranks[one].score != ranks[other].score)
		return ranks[one].score > ranks[other].score ? -1 : 1;
	return one < other ? -1 : 1;
}

void export_totals__choose(struct export_totals *t, uint64_t ns)
{
	double kept = (double)HALF_LIFE_NS / (double)(HALF_LIFE_NS + ns);
	int nr = t->nr_places;

	for (int place = 0; place < nr; place++) {
		struct rank *rank = &t->ranks[place];

		if (rank->score >= 0.0)
			rank->score = rank->score * kept + rank->more;
		rank->is_chosen = false;
		t->order[place] = place;
	}
	qsort_r(t->order, (size_t)nr, sizeof(*t->order), compare, t->ranks);
	for (int i = 0; i < nr && i < t->top; i++)
		t->ranks[t->order[i]].is_chosen = t->ranks[t->order[i]].score >= 0.0;
}

bool export_totals__is_chosen(const struct export_totals *t, int place)
{
	return !t->ranks || t->ranks[place].is_chosen;
}

/* ---- totals ---- */

void export_totals__set(struct export_totals *t, int place, int event, uint64_t count)
{
	struct total *total = total_of(t, place, event);
	uint64_t more;

	if (count <= total->count)
		return;
	more = count - total->count;
	total->count = count;
	if (export_totals__is_chosen(t, place))
		total->shown += more;
	else
		t->rest[event] += more;
}

uint64_t export_totals__get(const struct export_totals *t, int place, int event)
{
	return total_of(t, place, event)->shown;
}

uint64_t export_totals__rest(const struct export_totals *t, int event)
{
	return t->rest[event];
}
