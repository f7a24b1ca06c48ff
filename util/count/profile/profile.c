// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "util/count/profile/profile-progs.h"
#include "util/count/profile/profile-stacks.h"
#include "util/count/profile/sample-table.h"

struct profile *profile__new(const struct sampling *sampling, int nr_events)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->nr_events = nr_events;
	profile->samples = sample_table__new(sampling->progs ? sizeof(struct profile_frames) :
							       sizeof(struct profile_stack_key),
					     sampling->map_size);
	profile->total = calloc(2 * (size_t)nr_events + 1, sizeof(*profile->total));
	profile->mark = profile->total + nr_events;
	if (profile->samples && profile->total)
		return profile;
	profile__free(profile);
	return NULL;
}

void profile__free(struct profile *profile)
{
	if (!profile)
		return;
	sample_table__free(profile->samples);
	free(profile->total);
	profile_progs__free(profile->progs);
	profile_stacks__free(profile->stacks);
	free(profile);
}

void profile__mark(struct profile *profile)
{
	sample_table__mark(profile->samples);
	if (profile->stacks)
		profile_stacks__mark(profile->stacks);
	memcpy(profile->mark, profile->total, sizeof(*profile->mark) * (size_t)profile->nr_events);
}

struct profile_event profile__delta(const struct profile *profile, int event)
{
	const struct profile_event *mark = &profile->mark[event];
	struct profile_event delta = profile->total[event];

	delta.fate.elsewhere -= mark->fate.elsewhere;
	delta.fate.weight -= mark->fate.weight;
	delta.fate.no_room -= mark->fate.no_room;
	delta.fate.busy -= mark->fate.busy;
	delta.fate.no_stack -= mark->fate.no_stack;
	delta.fate.no_times -= mark->fate.no_times;
	delta.stacks.collided -= mark->stacks.collided;
	delta.stacks.no_room -= mark->stacks.no_room;
	delta.stacks.failed -= mark->stacks.failed;
	delta.times.enabled -= mark->times.enabled;
	delta.times.running -= mark->times.running;
	return delta;
}
