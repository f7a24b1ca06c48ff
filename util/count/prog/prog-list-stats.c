// SPDX-License-Identifier: GPL-2.0-only
/* The programs of a list that the kernel's own statistics count (prog-stats.h). */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/prog/prog-list.h"
#include "util/machine/bpf/bpf-prog.h"

bool prog_list__is_by_stats(const struct prog_list *list)
{
	for (int i = 0; i < list->nr; i++)
		if (!list->entries[i].target.stats)
			return false;
	return list->nr;
}

void prog_list__tell_stats(const struct prog_list *list)
{
	static bool told; /* static, because each repetition of -r has a list of its own */
	const struct prog_target *first = NULL;
	int nr = 0;

	for (int i = 0; i < list->nr && !told; i++) {
		const struct prog_target *target = &list->entries[i].target;

		nr += target->stats != NULL;
		first = first ?: target->stats ? target : NULL;
	}
	if (!first)
		return;
	told = true;
	pr_warn("-b: %d program%s by the kernel's own statistics, which have only the number and "
		"the time of runs\n"
		"program %u (%s): %s\n"
		"these statistics delay each run of every BPF program on this machine while pstat "
		"counts",
		nr, nr > 1 ? "s are counted" : " is counted", first->prog->id, first->prog->name,
		prog_stats__why(first->stats));
}

static int refuse_mixture(const struct prog_list *list, const struct prog_target *target)
{
	return reason__set(list->why, -EOPNOTSUPP,
			   "-b %u (%s): %s\n"
			   "count only run_cnt, task-clock and cpu-clock, which the kernel's "
			   "statistics have, or count this "
			   "program "
			   "without the others",
			   target->prog->id, target->prog->name, prog_stats__why(target->stats));
}

int prog_list__settle_stats(struct prog_list *list)
{
	if (list->stats != PROG_STATS_ALONE || prog_list__is_by_stats(list))
		return 0;
	for (int i = list->nr - 1; i >= 0; i--) {
		const struct prog_target *target = &list->entries[i].target;

		if (!target->stats)
			continue;
		if (!list->entries[i].by_pattern)
			return refuse_mixture(list, target);
		pr_info("-b: program %u (%s) is left out: %s", target->prog->id, target->prog->name,
			prog_stats__why(target->stats));
		list->left_out++;
		prog_list__drop(list, i);
	}
	list->stats = list->nr ? PROG_STATS_NEVER : list->stats;
	return 0;
}
