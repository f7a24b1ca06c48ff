// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/base/log.h"
#include "util/count/backend.h"
#include "util/count/counts.h"

struct bperf_kept {
	int nr;
	/* of each unit (bperf-unit.h), only the leader, the events and their rows are used */
	struct bperf_unit *units;
	unsigned char left_out[]; /* for each event of the group, a copy of counts.left_out */
};

void bperf_kept__close(struct backend_group *group)
{
	struct bperf_kept *kept = group->kept;

	if (!kept)
		return;
	for (int i = 0; i < kept->nr; i++)
		bperf_unit__close(&kept->units[i]);
	free(kept->units);
	free(kept);
	group->kept = NULL;
}

struct bperf_kept *bperf_kept__take(struct backend_group *group)
{
	struct bperf_group *priv = group->priv;
	struct bperf_kept *kept = malloc(sizeof(*kept) + (size_t)group->nr);

	if (!kept)
		return NULL;
	*kept = (struct bperf_kept){ .units = calloc((size_t)priv->nr_units + 1,
						     sizeof(*kept->units)) };
	if (!kept->units) {
		free(kept);
		return NULL;
	}
	for (int event = 0; event < group->nr; event++)
		kept->left_out[event] = group->counts[event]->left_out;
	for (int i = 0; i < priv->nr_units; i++) {
		struct bperf_unit *unit = &priv->units[i], *to = &kept->units[kept->nr];

		if (!unit->shared)
			continue;
		bperf_unit__close_follower(unit);
		*to = *unit;
		unit->leader = BPERF_LEADER_NONE;
		kept->nr++;
	}
	return kept;
}

static int use_unit(struct backend_group *group, struct bperf_unit *kept)
{
	struct bperf_group *priv = group->priv;
	struct bperf_unit *unit = bperf_group__add_unit(priv);

	if (!unit)
		return -ENOMEM;
	unit->shared = true;
	unit->leader = kept->leader;
	kept->leader = BPERF_LEADER_NONE;
	for (int i = 0; i < kept->nr; i++)
		bperf_group__add_event(priv, unit, kept->events[i], kept->rows[i]);
	pr_info("kept the leader of link %u for %d events", unit->leader.link_id, unit->nr);
	return 0;
}

int bperf_kept__use(struct backend_group *group)
{
	struct bperf_kept *kept = group->kept;
	int err = 0;

	if (!kept)
		return 0;
	for (int i = 0; !err && i < kept->nr; i++) {
		const struct bperf_unit *unit = &kept->units[i];

		for (int n = 0; n < unit->nr; n++)
			group->counts[unit->events[n]]->left_out = kept->left_out[unit->events[n]];
		err = use_unit(group, &kept->units[i]);
	}
	bperf_kept__close(group);
	return err;
}
