// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-report.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-options.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"
#include "util/machine/cpu/topology.h"
#include "util/report/aggr.h"
#include "util/report/report.h"

struct stat_report {
	/*
	 * the CPUs for which aggregates are made at the start; {-1}: the report does not
	 * distinguish CPUs
	 */
	struct cpumap *cpus;
	/* CPUs whose place in the topology is known; NULL: no CPU can be added later */
	struct cpumap *placed;
	int cache;		   /* the cache level for which the topology was read */
	struct topology *topology; /* NULL if no row needs it */
	struct pmus *pmus;	   /* NULL if no row needs them */
	struct aggr_map *aggr;
	struct report *report;
};

/*
 * Returns whether the report distinguishes CPUs. For tasks, it does so only if the user requests
 * rows by CPU, core and so on. stat_targets__check() refuses such a request unless BPF counts all
 * events.
 */
static bool distinguishes_cpus(const struct stat_config *cfg)
{
	return !stat_config__per_task(cfg) || aggr_mode__is_by_cpu(cfg->aggr_mode);
}

static int read_cpus(struct stat_report *r, const struct stat_config *cfg)
{
	int err = 0;

	if (!distinguishes_cpus(cfg))
		r->cpus = cpumap__any();
	else if (cfg->cpus)
		r->cpus = cpumap__copy(cfg->cpus);
	else
		err = cpumap__online(sysroots__host(), &r->placed);
	if (r->placed && cfg->aggr_mode == AGGR_NONE)
		err = cpumap__possible(sysroots__host(), &r->cpus);
	else if (r->placed)
		r->cpus = cpumap__copy(r->placed);
	return err ?: r->cpus ? 0 : -ENOMEM;
}

static bool wants_topology(const struct stat_options *options)
{
	const struct evsel *evsel;

	if (options->count.aggr_mode != AGGR_GLOBAL && options->count.aggr_mode != AGGR_NONE)
		return true;
	evlist__for_each(options->evlist, evsel)
		if (evsel->per_pkg || evsel->percore)
			return true;
	return false;
}

/*
 * Adds the CPUs in the cpumasks of uncore PMUs to *@cpus. Called if -C was given: the report then
 * needs the places of these CPUs in the topology, to find out whether they are in the same socket
 * or core as a CPU of -C. Returns 0 or -ENOMEM.
 */
static int add_mask_cpus(const struct stat_options *options, struct cpumap **cpus)
{
	const struct evsel *evsel;

	evlist__for_each(options->evlist, evsel) {
		struct cpumap *more;

		if (!evsel->is_uncore || !evsel->pmu_cpus)
			continue;
		more = cpumap__union(*cpus, evsel->pmu_cpus);
		if (!more)
			return -ENOMEM;
		cpumap__free(*cpus);
		*cpus = more;
	}
	return 0;
}

static int read_topology(struct stat_report *r, const struct stat_options *options)
{
	struct cpumap *cpus = NULL;
	int err = 0;

	r->cache = TOPOLOGY_NO_CACHE;
	if (!wants_topology(options))
		return 0;
	if (options->count.aggr_mode == AGGR_CACHE)
		r->cache = options->cache_level ?: TOPOLOGY_LAST_CACHE;
	/* leave room for CPUs that come online later */
	if (r->placed)
		err = cpumap__possible(sysroots__host(), &cpus);
	else
		cpus = cpumap__copy(r->cpus);
	if (!err && options->count.cpus)
		err = cpus ? add_mask_cpus(options, &cpus) : -ENOMEM;
	err = err	   ?:
		      cpus ? topology__read(sysroots__host(), cpus, r->cache, &r->topology) :
			     -ENOMEM;
	cpumap__free(cpus);
	return err;
}

/* Implements report_config.place_cpus: adds the new CPUs in @seen to the aggregates. */
static int place_cpus(void *ctx, const struct cpumap *seen)
{
	struct stat_report *r = ctx;
	struct cpumap *all = cpumap__union(r->placed, seen);
	int err = 0;

	if (!all)
		return -ENOMEM;
	for (int i = 0; !err && i < seen->nr; i++) {
		if (cpumap__index(r->placed, seen->ids[i]) >= 0)
			continue;
		if (r->topology)
			err = topology__update(r->topology, sysroots__host(), seen->ids[i],
					       r->cache);
		err = err ?: aggr_map__add_cpu(r->aggr, seen->ids[i], r->topology);
	}
	cpumap__free(r->placed);
	r->placed = all;
	return err;
}

/*
 * With -A, whose rows contain names of PMUs, returns the name of the first PMU, which is a core PMU
 * if there is one (pmus.h). Without -A, or if there is no PMU, returns NULL.
 */
static const char *find_core_pmu(struct stat_report *r, const struct stat_config *cfg)
{
	struct pmu *pmu;

	if (cfg->aggr_mode != AGGR_NONE)
		return NULL;
	r->pmus = pmus__new(sysroots__host());
	pmu = r->pmus ? pmus__get(r->pmus, 0) : NULL;
	return pmu ? pmu__name(pmu) : NULL;
}

static int make_report(struct stat_report *r, const struct stat_options *options)
{
	struct report_config config = {
		.metrics = options->metrics.set,
		.metric_only = options->metrics.only,
		.evlist = options->evlist,
		.aggr = r->aggr,
		.place_cpus = r->placed ? place_cpus : NULL,
		.place_ctx = r,
		.topology = r->topology,
		.core_pmu = find_core_pmu(r, &options->count),
		.top = (int)options->top,
		.hide_zero = options->hide_zero,
		.system_wide = options->count.system_wide || options->count.all_threads,
		.no_scale = options->no_scale,
		.hybrid_merge = options->hybrid_merge,
		.percore_show_thread = options->percore_show_thread,
	};

	r->report = report__new(&config);
	return r->report ? 0 : -ENOMEM;
}

int stat_report__new(const struct stat_options *options, struct stat_report **out)
{
	struct stat_report *r = calloc(1, sizeof(*r));
	int cpus_err = r ? read_cpus(r, &options->count) : 0, err = r ? cpus_err : -ENOMEM;

	*out = NULL;
	err = err ?: read_topology(r, options);
	if (!err)
		r->aggr = aggr_map__new(options->count.aggr_mode, r->cpus, r->topology);
	err = err ?: r->aggr ? 0 : -ENOMEM;
	err = err ?: make_report(r, options);
	if (!err) {
		*out = r;
		return 0;
	}
	stat_report__free(r);
	if (err == -ENODATA) {
		pr_err("--per-cache: the CPUs of this machine have no cache of this level");
		return EXIT_USAGE;
	}
	if (cpus_err && cpus_err != -ENOMEM)
		pr_err("cannot read the lists of CPUs in /sys/devices/system/cpu (online, "
		       "possible): %s%s",
		       strerror(-err),
		       err == -ENOENT ? "\nmount sysfs (mount -t sysfs sysfs /sys)" : "");
	else
		pr_err("cannot prepare the report: %s", strerror(-err));
	return EXIT_FAILED;
}

void stat_report__free(struct stat_report *r)
{
	if (!r)
		return;
	report__free(r->report);
	aggr_map__free(r->aggr);
	if (r->pmus)
		pmus__free(r->pmus);
	if (r->topology)
		topology__free(r->topology);
	cpumap__free(r->cpus);
	cpumap__free(r->placed);
	free(r);
}

struct report *stat_report__get(const struct stat_report *r)
{
	return r->report;
}
