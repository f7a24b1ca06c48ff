// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/subjects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int subjects__add(struct subjects *subjects, const char *name, uint64_t id,
		  const struct cgroup *cgroup)
{
	struct subject *bigger =
		realloc(subjects->list, sizeof(*bigger) * ((size_t)subjects->nr + 1));
	char *copy = name ? strdup(name) : NULL;

	if (bigger)
		subjects->list = bigger;
	if (!bigger || (name && !copy)) {
		free(copy);
		return -ENOMEM;
	}
	bigger[subjects->nr] =
		(struct subject){ .name = copy, .id = id, .tid = -1, .cgroup = cgroup };
	return subjects->nr++;
}

int subjects__add_parts(struct subjects *subjects, const char *name, uint64_t id)
{
	int per_prog = subjects__cgroups(subjects), first = subjects->nr, place = 0;

	for (int i = 0; place >= 0 && i < per_prog; i++)
		place = subjects__add(subjects, name, id,
				      subjects->nr_cgroups ? subjects->cgroups[i] : NULL);
	if (place >= 0)
		return first / per_prog;
	while (subjects->nr > first)
		free(subjects->list[--subjects->nr].name);
	return place;
}

void subjects__mark(struct subjects *subjects)
{
	for (int i = 0; i < subjects->nr; i++)
		if (subjects->list[i].state == SUBJECT_GONE)
			subjects->list[i].state = SUBJECT_GONE_OLD;
}

void subjects__free(struct subjects *subjects)
{
	for (int i = 0; i < subjects->nr; i++)
		free(subjects->list[i].name);
	free(subjects->list);
	subjects->list = NULL;
	subjects->nr = 0;
}
