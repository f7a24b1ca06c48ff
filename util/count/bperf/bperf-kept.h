/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaders that stay between two runs of a series. The events of a series are the same in each run,
 * so the next run uses the events of the previous run, and opens none.
 */
#ifndef PSTAT_COUNT_BPERF_KEPT_H
#define PSTAT_COUNT_BPERF_KEPT_H

struct backend_group;
struct bperf_kept;

/*
 * Takes the units that have a leader from @group, without their followers. Returns NULL if there is
 * no memory; the units then stay in @group.
 */
struct bperf_kept *bperf_kept__take(struct backend_group *group);

/*
 * Moves the units from @group->kept back to @group, which must not have any other unit yet. Returns
 * 0 or -ENOMEM.
 */
int bperf_kept__use(struct backend_group *group);

/* Closes @group->kept. */
void bperf_kept__close(struct backend_group *group);

#endif
