// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/profile/profile-sums.h"

#include <stdlib.h>
#include <string.h>

#include "util/count/counts.h"
#include "util/count/profile/profile.h"
#include "util/event/evsel.h"
#include "util/report/profile/profile-totals.h"

struct sample_sum profile_source__at(const struct profile_source *from, uint32_t place)
{
	const struct sample_table *samples = from->sampling->profile->samples;

	return (from->is_interval ? sample_table__delta : sample_table__total)(samples, place);
}

struct row_event row_event__of(const struct profile_source *from, int event)
{
	return (struct row_event){ .nr = event, .name = from->counts->events[event]->evsel->name };
}

int profile_sums__merge(void *rows, int nr, size_t size, int (*compare)(const void *left, const void *right))
{
	char *last = rows;

	if (nr < 2)
		return nr;
	qsort(rows, (size_t)nr, size, compare);
	for (char *row = last + size; row < (char *)rows + (size_t)nr * size; row += size) {
		struct profile_sums *to = (struct profile_sums *)(void *)last;
		const struct profile_sums *from = (const struct profile_sums *)(void *)row;

		if (!compare(to, from)) {
			sample_sum__add(&to->self, &from->self);
			sample_sum__add(&to->total, &from->total);
			continue;
		}
		last += size;
		if (last != row)
			memcpy(last, row, size);
	}
	return (int)((size_t)(last - (char *)rows) / size) + 1;
}

void profile_sums__share_out(void *rows, int nr, size_t size, const struct profile_totals *totals)
{
	for (int i = 0; i < nr; i++) {
		struct profile_sums *sums = (void *)((char *)rows + (size_t)i * size);
		uint64_t all = totals[sums->event.nr].kept_weight;

		sums->share = sample_sum__percent(&sums->self, all);
		sums->total_share = sample_sum__percent(&sums->total, all);
	}
}

static int larger_first(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

int profile_sums__by_total(const struct profile_sums *a, const struct profile_sums *b)
{
	return a->event.nr - b->event.nr			      ?:
		       larger_first(a->total.weight, b->total.weight) ?:
									larger_first(a->self.weight, b->self.weight);
}

int profile_sums__by_self(const struct profile_sums *a, const struct profile_sums *b)
{
	return a->event.nr - b->event.nr			    ?:
		       larger_first(a->self.weight, b->self.weight) ?:
								      larger_first(a->total.weight, b->total.weight);
}

const char *profile_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
