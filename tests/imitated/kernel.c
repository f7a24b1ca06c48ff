// SPDX-License-Identifier: GPL-2.0-only
/*
 * Determines which events exist. It imitates Linux 6.12: perf_init_event() in kernel/events/core.c,
 * and event_init() of the drivers core.c, intel/core.c, amd/core.c and amd/ibs.c in
 * arch/x86/events, of the uncore drivers, and of arm_pmu.c and arm_pmuv3.c in drivers/perf.
 */
#include <errno.h>
#include <stddef.h>

#include "tests/imitated/kernel.h"

/* The operation and the result in the config of an event of PERF_TYPE_HW_CACHE. */
#define CACHE_OP(config) ((config) >> 8 & 0xff)
#define CACHE_RESULT(config) ((config) >> 16 & 0xff)
/* Bits of an Intel event that filter what it counts: edge, pc, any, inv, cmask and transactions. */
#define INTEL_FILTERS 0x3ffac0000ull
#define ARM_CHAIN 0x1e
#define ARM_RDPMC 2 /* in config1 */

static bool is_generic(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;
}

static bool excludes(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

static bool has_config(const struct configs *configs, uint64_t config)
{
	for (int i = 0; i < configs->nr; i++)
		if (configs->values[i] == config)
			return true;
	return false;
}

/* ---- core PMUs ---- */

static int init_cache(uint64_t config, const struct pmu *pmu)
{
	uint64_t cache = config & 0xff, op = CACHE_OP(config);
	bool only_read = cache == PERF_COUNT_HW_CACHE_ITLB || cache == PERF_COUNT_HW_CACHE_BPU;

	if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    CACHE_RESULT(config) >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;
	if (has_config(&pmu->cache, config))
		return 0;
	/* On x86, combinations that make no sense have another errno than unavailable events. */
	if (pmu->driver != DRIVER_ARM &&
	    ((only_read && op != PERF_COUNT_HW_CACHE_OP_READ) ||
	     (cache == PERF_COUNT_HW_CACHE_L1I && op == PERF_COUNT_HW_CACHE_OP_WRITE)))
		return -EINVAL;
	return -ENOENT;
}

/* A generic event exists only if the table of the PMU's driver contains it. */
static int init_generic(const struct event *event, const struct pmu *pmu)
{
	uint64_t config = event->attr.config & 0xffffffff;

	if (event->attr.type == PERF_TYPE_HW_CACHE)
		return init_cache(config, pmu);
	if (config >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	return pmu->hardware >> config & 1 ? 0 : -ENOENT;
}

/* arm_pmu ignores precise_ip. */
static int init_arm(const struct event *event, const struct pmu *pmu)
{
	const struct perf_event_attr *attr = &event->attr;
	int err = is_generic(attr) ? init_generic(event, pmu) : 0;

	if (err)
		return err;
	if (!is_generic(attr) && (attr->config & 0xffff) == ARM_CHAIN)
		return -EINVAL;
	if (attr->config1 & ARM_RDPMC && event->pid == -1)
		return -EINVAL;
	return attr->exclude_idle ? -EOPNOTSUPP : 0;
}

/* Imitates forward_event_to_ibs(): IBS needs a period, and samples only two events. */
static int init_precise_amd(const struct perf_event_attr *attr)
{
	bool known = attr->type == PERF_TYPE_HARDWARE ?
			     attr->config == PERF_COUNT_HW_CPU_CYCLES :
			     attr->config == 0x76 || attr->config == 0xc1;

	if (attr->precise_ip > 2)
		return -EOPNOTSUPP;
	if (!known)
		return -ENOENT;
	return attr->sample_period ? 0 : -EINVAL;
}

static int init_topdown(const struct event *event, const struct event *leader,
			const struct pmu *pmu)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!event__is_topdown(event, pmu) && !event__is_slots(event, pmu))
		return 0;
	if (attr->config1 || attr->config2 || attr->config & INTEL_FILTERS)
		return -EINVAL;
	if (event__is_slots(event, pmu))
		return 0;
	if (attr->sample_period || !leader || !event__is_slots(leader, pmu) ||
	    leader->attr.sample_period)
		return -EINVAL;
	return 0;
}

static int init_x86(const struct event *event, const struct event *leader, const struct pmu *pmu)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->precise_ip && pmu->driver == DRIVER_AMD)
		return init_precise_amd(attr);
	if (attr->precise_ip && !attr->sample_period)
		return -EINVAL;
	if (is_generic(attr))
		return init_generic(event, pmu);
	return init_topdown(event, leader, pmu);
}

static int init_core(const struct event *event, const struct event *leader, const struct pmu *pmu)
{
	int err;

	if (event->cpu >= 0 && !pmu->cpus[event->cpu])
		return -ENOENT;
	if (pmu->driver == DRIVER_ARM)
		err = init_arm(event, pmu);
	else
		err = init_x86(event, leader, pmu);
	return err ?: group__fits(event, leader, pmu);
}

/* ---- other PMUs ---- */

static int init_uncore(struct event *event, const struct pmu *pmu)
{
	if (excludes(&event->attr) || event->attr.sample_period || event->cpu < 0 ||
	    event->pid != -1 || event->cgroup)
		return -EINVAL;
	if (pmu->moves[event->cpu] < 0)
		return pmu->stays ? -ENODEV : -EINVAL;
	if (!pmu->stays)
		event->cpu = pmu->moves[event->cpu];
	return 0;
}

static int init_other(struct event *event, const struct pmu *pmu)
{
	const struct perf_event_attr *attr = &event->attr;

	if (pmu->configs.nr && !has_config(&pmu->configs, attr->config))
		return -EINVAL;
	switch (pmu->kind) {
	case KIND_UNCORE:
		return init_uncore(event, pmu);
	case KIND_FREE:
		return excludes(attr) || attr->sample_period ? -EINVAL : 0;
	case KIND_SAMPLING:
		return attr->sample_period ? 0 : -EINVAL;
	default:
		return pmu->type == PERF_TYPE_SOFTWARE && attr->config >= PERF_COUNT_SW_MAX ?
			       -ENOENT :
			       0;
	}
}

/* ---- perf_event_open(2) ---- */

/*
 * Imitates perf_try_init_event(). Arm's drivers also accept PERF_TYPE_RAW, which is not the type of
 * their PMUs.
 */
static int try_pmu(struct event *event, const struct event *leader, const struct pmu *pmu)
{
	bool generic = is_generic(&event->attr) ||
		       (pmu->driver == DRIVER_ARM && event->attr.type == PERF_TYPE_RAW);
	int err;

	if (event->attr.type != pmu->type && !(generic && pmu->kind == KIND_CORE))
		return -ENOENT;
	if (pmu->kind == KIND_CORE)
		err = init_core(event, leader, pmu);
	else
		err = init_other(event, pmu);
	if (!err)
		event->pmu = pmu;
	return err;
}

static const struct pmu *pmu_of_type(const struct machine *machine, uint32_t type)
{
	for (int i = 0; i < machine->nr_pmus; i++)
		if (machine->pmus[i].type == type)
			return &machine->pmus[i];
	return NULL;
}

/* Tries the PMUs in the order of the kernel's list, which begins with the latest PMU. */
static int try_all(const struct machine *machine, struct event *event, const struct event *leader)
{
	for (int i = machine->nr_pmus - 1; i >= 0; i--) {
		int err = try_pmu(event, leader, &machine->pmus[i]);

		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

/* Imitates perf_init_event(): tries the PMU of the event's type, then the other PMUs. */
static int find_pmu(const struct machine *machine, struct event *event, const struct event *leader)
{
	uint32_t type = event->attr.type;
	bool extended = false;
	const struct pmu *pmu;
	int err;

	if (is_generic(&event->attr)) {
		type = (uint32_t)(event->attr.config >> 32);
		extended = type;
		if (!type)
			type = PERF_TYPE_RAW;
	}
	pmu = pmu_of_type(machine, type);
	if (!pmu)
		return try_all(machine, event, leader);
	if (event->attr.type != type && type != PERF_TYPE_RAW && !pmu->extended)
		return -ENOENT;
	err = try_pmu(event, leader, pmu);
	if (err != -ENOENT || event->attr.type == type || extended)
		return err;
	return try_all(machine, event, leader);
}

int kernel__init_event(struct event *event, struct event *leader, int cpu)
{
	const struct machine *machine = machine__get();
	int err;

	if (!machine)
		return -ENOSYS;
	if (cpu < -1 || cpu >= MAX_CPUS || (cpu == -1 && event->pid == -1))
		return -EINVAL;
	if (event->pid != -1 && leader && leader->attr.inherit != event->attr.inherit)
		return -EINVAL;
	event->cpu = cpu;
	err = find_pmu(machine, event, leader);
	if (err)
		return err;
	if (event->pid == -1 && !machine->online[event->cpu])
		return -ENODEV;
	return leader ? group__join(event, leader) : 0;
}
