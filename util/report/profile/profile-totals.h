/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of all samples of an event. */
#ifndef PSTAT_REPORT_PROFILE_TOTALS_H
#define PSTAT_REPORT_PROFILE_TOTALS_H

#include <stdint.h>

#include "util/report/profile/profile-sums.h"

struct profile_totals {
	struct row_event event;
	const struct profile_source *from; /* what it was made of; it must outlive this */
	uint64_t samples;		   /* taken */
	uint64_t weight;		   /* what the event counted for them */
	uint64_t kept;			   /* of them are in rows */
	uint64_t kept_weight;
	/* kept samples in the code of the chosen programs itself, not in what it called */
	uint64_t self;
	uint64_t elsewhere; /* samples neither in the chosen programs nor in what these call */
	/* samples that were not kept, because the map was full, or its lock was held */
	uint64_t no_room, busy;
	uint64_t no_stack; /* samples whose stack the kernel could not walk */
	/* samples that were not taken: expected from the event's count, minus those taken */
	uint64_t missed;
	uint64_t enabled, running; /* ns */
	uint64_t count;		   /* the count of the event's fds */
};

/* In tables, they are comments: the first line for an event, and the samples that are missing. */
extern const struct column profile_totals_columns[];

/* Returns the totals of all events ([event], to be freed), or NULL without memory. */
struct profile_totals *profile_totals__make(const struct profile_source *from);

#endif
