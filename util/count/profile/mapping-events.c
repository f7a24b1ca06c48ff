// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/mapping-events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "util/count/profile/mapping-records.h"
#include "util/count/profile/record-rings.h"

struct mapping_events {
	struct mapping_sinks sinks;
	struct record_rings *rings;
};

int mapping_events__open(struct mapped_objects *objects, struct kernel_code *code,
			 struct mapping_events **result)
{
	const struct perf_event_attr what = {
		.mmap = 1, .mmap2 = 1, .build_id = 1, .task = 1, .ksymbol = 1
	};
	struct mapping_events *events = calloc(1, sizeof(*events));
	int err;

	*result = NULL;
	if (!events)
		return -ENOMEM;
	events->sinks = (struct mapping_sinks){ .objects = objects, .code = code };
	err = record_rings__open(&what, &events->rings);
	if (err)
		mapping_events__free(events);
	else
		*result = events;
	return err;
}

void mapping_events__free(struct mapping_events *events)
{
	if (!events)
		return;
	record_rings__free(events->rings);
	free(events);
}

int mapping_events__fd(const struct mapping_events *events)
{
	return record_rings__fd(events->rings);
}

uint64_t mapping_events__lost(const struct mapping_events *events)
{
	return events->sinks.lost;
}

/*
 * If @err is -EBADMSG (an invalid record), counts one lost record and returns 0. Otherwise, returns
 * @err.
 */
static int lose_bad(struct mapping_events *events, int err)
{
	if (err != -EBADMSG)
		return err;
	events->sinks.lost++;
	return 0;
}

int mapping_events__follow_cpus(struct mapping_events *events, const struct cpumap *online)
{
	return lose_bad(events, record_rings__follow_cpus(events->rings, online));
}

/* Implements record_fn. */
static int take_record(void *ctx, const struct perf_event_header *header, uint64_t time)
{
	struct mapping_events *events = ctx;

	return lose_bad(events, mapping_records__take(&events->sinks, header, time));
}

int mapping_events__take(struct mapping_events *events)
{
	return lose_bad(events, record_rings__take(events->rings, take_record, events));
}
