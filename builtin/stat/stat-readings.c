// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-series.h"

#include <inttypes.h>

#include "util/base/log.h"
#include "util/count/counts.h"
#include "util/count/measurement.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/*
 * Prints the readings in every @step-th column of the table (counts.h), from the column @first on,
 * and the sum of these readings.
 */
static void print_event(const struct counts *counts, int first, int step, bool interval)
{
	const char *mark = evsel__left_out_mark(counts->evsel, counts->left_out);
	const char *name = counts->evsel->name;
	struct reading sum = { 0 };

	for (int cpu = 0; cpu < counts->cpus->nr; cpu++) {
		for (int column = first; column < counts->nr_columns; column += step) {
			struct reading one =
				(interval ? counts__delta : counts__total)(counts, cpu, column);

			log__plain_at(LOG_DEBUG, "%s%s: %d: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
				      name, mark, counts->cpus->ids[cpu], one.value, one.enabled,
				      one.running);
			sum.value += one.value;
			sum.enabled += one.enabled;
			sum.running += one.running;
		}
	}
	log__plain_at(LOG_INFO, "%s%s: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name, mark,
		      sum.value, sum.enabled, sum.running);
}

/*
 * Prints the readings of all events that were opened for one cgroup. @cgroup is the index of the
 * cgroup, and @nr is the number of cgroups (1 if there are none). The columns of one cgroup are @nr
 * columns apart. An event with only one column has the same readings for all cgroups.
 */
static void print_events(const struct measurement *m, int cgroup, int nr, bool interval)
{
	for (int event = 0; event < m->nr; event++) {
		const struct counts *counts = m->events[event];
		int first = counts->nr_columns > 1 ? cgroup : 0;

		if (!counts__err(counts, first))
			print_event(counts, first, nr, interval);
	}
}

void stat_readings__print(const struct measurement *m, bool interval)
{
	const struct subjects *subjects = m->subjects;
	bool by_cgroup = subjects && subjects->kind == &subject_cgroup;
	int nr = by_cgroup ? subjects->nr : subjects__cgroups(subjects);

	for (int cgroup = 0; cgroup < nr; cgroup++)
		if (!by_cgroup || subjects->list[cgroup].state != SUBJECT_NONE)
			print_events(m, cgroup, nr, interval);
}
