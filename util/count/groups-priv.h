/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups of a session; private to groups.c and groups-new.c. */
#ifndef PSTAT_COUNT_GROUPS_PRIV_H
#define PSTAT_COUNT_GROUPS_PRIV_H

#include <stdbool.h>

#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/measurement.h"
#include "util/count/online-cpus.h"
#include "util/count/outliers.h"
#include "util/count/subjects.h"

#define NR_BACKENDS 7

struct groups {
	const struct evlist *evlist;
	const struct stat_config *cfg;
	/* CPUs that have rows in per-CPU counts: those of -C, otherwise all possible CPUs */
	struct cpumap *cpus;
	struct cpumap *no_cpus; /* {-1}: rows of the tool events, and of tasks counted natively */
	struct backend_group groups[NR_BACKENDS];
	/* zeroed until the first open, and if nothing is counted per CPU */
	struct online_cpus online;
	struct strbuf *why, *perf_words; /* of the session */
	struct measurement measurement;	 /* of what follows */
	struct counts **events;
	struct run_counts runs;
	struct subjects subjects;
	struct hist_rows hist;
	struct outlier_sums outliers;
};

#endif
