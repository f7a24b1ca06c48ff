// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/pmus.h"
#include "util/metric/metric-row.h"
#include "util/metric/metric-set.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* What an event counts, for metrics. */
enum quantity {
	OTHER,
	CLOCK,
	CYCLES,
	INSTRUCTIONS,
	STALLED_FRONTEND,
	STALLED_BACKEND,
	BRANCHES,
	BRANCH_MISSES,
	CACHE_REFERENCES,
	CACHE_MISSES,
	L1D_LOADS,
	L1D_MISSES,
	L1I_LOADS,
	L1I_MISSES,
	LLC_LOADS,
	LLC_MISSES,
	DTLB_LOADS,
	DTLB_MISSES,
	ITLB_LOADS,
	ITLB_MISSES,
};

#define LOADS(cache) ((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16)
#define LOAD_MISSES(cache) ((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct {
	uint32_t type;
	uint32_t config;
	enum quantity quantity;
} quantities[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, CLOCK },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, STALLED_FRONTEND },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, STALLED_BACKEND },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, BRANCHES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, BRANCH_MISSES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, CACHE_REFERENCES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, CACHE_MISSES },
	{ PERF_TYPE_HW_CACHE, LOADS(PERF_COUNT_HW_CACHE_L1D), L1D_LOADS },
	{ PERF_TYPE_HW_CACHE, LOAD_MISSES(PERF_COUNT_HW_CACHE_L1D), L1D_MISSES },
	{ PERF_TYPE_HW_CACHE, LOADS(PERF_COUNT_HW_CACHE_L1I), L1I_LOADS },
	{ PERF_TYPE_HW_CACHE, LOAD_MISSES(PERF_COUNT_HW_CACHE_L1I), L1I_MISSES },
	{ PERF_TYPE_HW_CACHE, LOADS(PERF_COUNT_HW_CACHE_LL), LLC_LOADS },
	{ PERF_TYPE_HW_CACHE, LOAD_MISSES(PERF_COUNT_HW_CACHE_LL), LLC_MISSES },
	{ PERF_TYPE_HW_CACHE, LOADS(PERF_COUNT_HW_CACHE_DTLB), DTLB_LOADS },
	{ PERF_TYPE_HW_CACHE, LOAD_MISSES(PERF_COUNT_HW_CACHE_DTLB), DTLB_MISSES },
	{ PERF_TYPE_HW_CACHE, LOADS(PERF_COUNT_HW_CACHE_ITLB), ITLB_LOADS },
	{ PERF_TYPE_HW_CACHE, LOAD_MISSES(PERF_COUNT_HW_CACHE_ITLB), ITLB_MISSES },
};

/* Percentages of another event, and the limits above which they are coloured. */
static const struct share {
	enum quantity part, whole;
	const char *unit;
	double notable, high, severe;
} shares[] = {
	{ STALLED_FRONTEND, CYCLES, "frontend cycles idle", 10, 30, 50 },
	{ STALLED_BACKEND, CYCLES, "backend cycles idle", 20, 50, 75 },
	{ BRANCH_MISSES, BRANCHES, "of all branches", 5, 10, 20 },
	{ CACHE_MISSES, CACHE_REFERENCES, "of all cache refs", 5, 10, 20 },
	{ L1D_MISSES, L1D_LOADS, "of all L1-dcache accesses", 5, 10, 20 },
	{ L1I_MISSES, L1I_LOADS, "of all L1-icache accesses", 5, 10, 20 },
	{ LLC_MISSES, LLC_LOADS, "of all LL-cache accesses", 5, 10, 20 },
	{ DTLB_MISSES, DTLB_LOADS, "of all dTLB cache accesses", 5, 10, 20 },
	{ ITLB_MISSES, ITLB_LOADS, "of all iTLB cache accesses", 5, 10, 20 },
};

static bool is_core_type(const struct evsel *evsel)
{
	uint32_t type = evsel->attr.attr.type;

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

static enum quantity quantity_of(const struct evsel *evsel)
{
	uint64_t config = evsel->attr.attr.config;
	uint32_t type = evsel->attr.attr.type;

	if (evsel->tool != TOOL_NONE)
		return OTHER;
	if (is_core_type(evsel)) {
		config &= PMU_CONFIG_MASK;
	} else if (evsel->generic_hw >= 0) {
		type = PERF_TYPE_HARDWARE;
		config = (uint64_t)evsel->generic_hw;
	}
	for (size_t i = 0; i < ARRAY_SIZE(quantities); i++)
		if (quantities[i].type == type && quantities[i].config == config)
			return quantities[i].quantity;
	return OTHER;
}

static bool same_modifiers(const struct evsel *a, const struct evsel *b)
{
	const struct perf_event_attr *one = &a->attr.attr, *two = &b->attr.attr;

	return one->exclude_user == two->exclude_user && one->exclude_kernel == two->exclude_kernel &&
	       one->exclude_hv == two->exclude_hv && one->exclude_host == two->exclude_host &&
	       one->exclude_idle == two->exclude_idle;
}

/* Returns the type of the PMU that counts @evsel, or 0 if the machine has only one core PMU. */
static uint64_t pmu_of(const struct evsel *evsel)
{
	return is_core_type(evsel) ? evsel->attr.attr.config >> PMU_TYPE_SHIFT : evsel->attr.attr.type;
}

/* Events with a quantity other than CLOCK are events of core PMUs. */
static bool same_pmu(const struct evsel *a, const struct evsel *b)
{
	uint64_t one = pmu_of(a), two = pmu_of(b);

	return one == two || (is_core_type(a) && !one && b->generic_hw >= 0) ||
	       (is_core_type(b) && !two && a->generic_hw >= 0);
}

/*
 * Returns the first other event that counts @quantity under the same conditions as @evsel, or NULL.
 */
static const struct evsel *find(const struct metric_source *source, const struct evsel *evsel, enum quantity quantity)
{
	const struct evsel *other;

	evlist__for_each(source->evlist, other) {
		if (other == evsel || quantity_of(other) != quantity)
			continue;
		if (evsel__is_grouped(evsel) && other->leader != evsel->leader)
			continue;
		if (!same_modifiers(evsel, other) || evsel->cgroup != other->cgroup)
			continue;
		if (quantity == CLOCK || same_pmu(evsel, other))
			return other;
	}
	return NULL;
}

/*
 * Returns the value of the event that find() returns, in ns for clocks, otherwise in its unit.
 * Returns 0 if there is none.
 */
static double value_of(const struct metric_source *source, const struct evsel *evsel, enum quantity quantity, int aggr)
{
	const struct evsel *other = find(source, evsel, quantity);
	double count;

	if (!other)
		return 0.0;
	count = (double)source->counts[(size_t)other->idx * (size_t)source->nr_aggr + (size_t)aggr];
	return quantity == CLOCK ? count : count * other->scale;
}

static enum metric_level level_of(const struct share *share, double percent)
{
	if (percent > share->severe)
		return METRIC_SEVERE;
	if (percent > share->high)
		return METRIC_HIGH;
	return percent > share->notable ? METRIC_NOTABLE : METRIC_PLAIN;
}

static int add_share(struct metric_row *row, const struct share *share, double whole)
{
	bool known = row->value != 0.0 && whole != 0.0;
	double percent = known ? row->value / whole * 100.0 : 0.0;

	return metric_row__add(row, &(struct row_metric){
					    .unit = share->unit,
					    .has_value = known,
					    .value = percent,
					    .width = 7,
					    .decimals = 2,
					    .suffix = '%',
					    .level = level_of(share, percent),
				    });
}

static int add_per_insn(struct metric_row *row, const char *unit, double value, bool known)
{
	return metric_row__add(row, &(struct row_metric){
					    .unit = unit,
					    .has_value = known,
					    .value = value,
					    .width = 7,
					    .decimals = 2,
					    .suffix = ' ',
				    });
}

static int add_plain(struct metric_row *row, const char *unit, double value, bool known)
{
	return metric_row__add(row, &(struct row_metric){
					    .unit = unit,
					    .has_value = known,
					    .value = value,
					    .width = 8,
					    .decimals = 3,
				    });
}

static bool has_stalls(const struct metric_source *source, const struct evsel *evsel)
{
	return find(source, evsel, STALLED_FRONTEND) || find(source, evsel, STALLED_BACKEND);
}

static int add_instructions(const struct metric_source *source, const struct evsel *evsel, int aggr,
			    struct metric_row *row)
{
	double cycles = value_of(source, evsel, CYCLES, aggr);
	double front = value_of(source, evsel, STALLED_FRONTEND, aggr);
	double back = value_of(source, evsel, STALLED_BACKEND, aggr);
	double stalled = front > back ? front : back;
	bool known = stalled != 0.0 && row->value != 0.0;
	int err = add_per_insn(row, "insn per cycle", cycles != 0.0 ? row->value / cycles : 0.0, cycles != 0.0);

	if (!err && (known || (source->all && has_stalls(source, evsel))))
		err = add_per_insn(row, "stalled cycles per insn", known ? stalled / row->value : 0.0, known);
	return err;
}

static int add_frequency(struct metric_row *row, double clock_ns)
{
	bool known = row->value != 0.0 && clock_ns != 0.0;

	return add_plain(row, "GHz", known ? row->value / clock_ns : 0.0, known);
}

static int add_cpus_utilized(const struct metric_source *source, const struct evsel *evsel, struct metric_row *row)
{
	double wall = source->wall_ns * evsel->scale;

	return add_plain(row, "CPUs utilized", wall != 0.0 ? row->value / wall : 0.0, wall != 0.0);
}

static int add_rate(struct metric_row *row, double clock_ns)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	double rate = 1000000000.0 * row->value / clock_ns;
	size_t step = 0;

	for (; rate > 1000.0 && step + 1 < ARRAY_SIZE(units); step++)
		rate /= 1000.0;
	return add_plain(row, units[step], rate, true);
}

static int add_shadow(const struct metric_source *source, const struct evsel *evsel, int aggr, struct metric_row *row)
{
	enum quantity quantity = quantity_of(evsel);
	double clock_ns;

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		if (shares[i].part == quantity)
			return add_share(row, &shares[i], value_of(source, evsel, shares[i].whole, aggr));
	if (quantity == INSTRUCTIONS)
		return add_instructions(source, evsel, aggr, row);
	if (quantity == CLOCK)
		return add_cpus_utilized(source, evsel, row);
	clock_ns = value_of(source, evsel, CLOCK, aggr);
	if (quantity == CYCLES)
		return add_frequency(row, clock_ns);
	/* a rate per second of BPF run time is useless; the count per run replaces it */
	return clock_ns != 0.0 && !source->runs ? add_rate(row, clock_ns) : 0;
}

#define PER_RUN "per run"

/* Replaces metrics without a value. */
static int add_per_run(struct metric_row *row, double runs)
{
	for (int i = 0; i < row->nr; i++)
		if (row->metrics[i].has_value)
			return 0;
	row->nr = 0;
	return add_plain(row, PER_RUN, row->value / runs, true);
}

/* Adds the metric for every event, so that the columns of a table do not change. */
static int add_per_run_too(struct metric_row *row, double runs)
{
	return add_plain(row, PER_RUN, runs > 0.0 ? row->value / runs : 0.0, runs > 0.0);
}

/*
 * Returns the number of runs that @evsel has counted, or 0 if it is unknown. For a cgroup, only an
 * event run_cnt tells it.
 */
static double runs_of(const struct metric_source *source, const struct evsel *evsel, int aggr)
{
	const struct evsel *other;

	if (!source->by_cgroup)
		return source->runs[(size_t)evsel->idx * (size_t)source->nr_aggr + (size_t)aggr];
	evlist__for_each(source->evlist, other)
		if (other->tool == TOOL_RUN_CNT && evsel->cgroup == other->cgroup)
			return (double)source->counts[(size_t)other->idx * (size_t)source->nr_aggr + (size_t)aggr];
	return 0.0;
}

static int add_beside(const struct metric_source *source, const struct evsel *evsel, int aggr, struct metric_row *row)
{
	bool counts_runs = source->runs && evsel->tool == TOOL_NONE;
	double runs = counts_runs ? runs_of(source, evsel, aggr) : 0.0;
	int err = add_shadow(source, evsel, aggr, row);

	if (!err && counts_runs && source->all)
		err = add_per_run_too(row, runs);
	else if (!err && runs > 0.0)
		err = add_per_run(row, runs);
	return err;
}

int metric__add(const struct metric_source *source, const struct evsel *evsel, int aggr, struct metric_row *row)
{
	/* as in perf, an event that was not counted has no metrics */
	bool any = source->all || row->counted;
	int err = any && (source->all || !evsel->default_metric) ? add_beside(source, evsel, aggr, row) : 0;

	if (!err && any && source->set)
		err = metric_set__add(source->set, source, evsel, aggr, row);
	for (int i = 0; i < row->nr && !row->counted; i++)
		row->metrics[i].has_value = false;
	return err;
}
