// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/export/metric-page.h"

#include <stdlib.h>

void metric_page__reset(struct metric_page *page)
{
	page->nr_families = page->nr_samples = 0;
	page->failed = false;
}

void metric_page__free(struct metric_page *page)
{
	free(page->families);
	free(page->samples);
	*page = (struct metric_page){ 0 };
}

/* Makes room for element @nr. Returns the array, or NULL if memory ran out. */
static void *with_room(struct metric_page *page, void *array, int nr, int *room, size_t size)
{
	int wanted = *room ? *room * 2 : 64;
	void *bigger;

	if (nr < *room)
		return array;
	bigger = reallocarray(array, (size_t)wanted, size);
	if (bigger)
		*room = wanted;
	else
		page->failed = true;
	return bigger;
}

void metric_page__begin(struct metric_page *page, const struct metric_family *family)
{
	struct metric_family *families = with_room(page, page->families, page->nr_families,
						   &page->families_room, sizeof(*families));

	if (!families)
		return;
	page->families = families;
	families[page->nr_families] = *family;
	families[page->nr_families].first = page->nr_samples;
	families[page->nr_families].nr = 0;
	page->nr_families++;
}

struct metric_sample *metric_page__add(struct metric_page *page, const char *labels)
{
	struct metric_sample *samples;

	/* after a failure of metric_page__begin(), the sample could join the wrong family */
	if (page->failed)
		return NULL;
	samples = with_room(page, page->samples, page->nr_samples, &page->samples_room,
			    sizeof(*samples));
	if (!samples)
		return NULL;
	page->samples = samples;
	page->families[page->nr_families - 1].nr++;
	samples[page->nr_samples] = (struct metric_sample){ .labels = labels };
	return &samples[page->nr_samples++];
}

void metric_page__add_count(struct metric_page *page, const char *labels, uint64_t count)
{
	struct metric_sample *sample = metric_page__add(page, labels);

	if (sample)
		sample->count = count;
}

void metric_page__add_number(struct metric_page *page, const char *labels, double number)
{
	struct metric_sample *sample = metric_page__add(page, labels);

	if (sample)
		sample->number = number;
}
