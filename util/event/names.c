// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/event/lexer.h"

#define HW(id) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##id
#define SW(id) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##id
/* An event of enum tool_event (evsel.h). It has the type and config of the event `dummy`. */
#define TOOL(id) SW(DUMMY), .tool = TOOL_##id

/* Linux 5.13 added this event. Older headers do not define it. */
#define PERF_COUNT_SW_CGROUP_SWITCHES 11

const struct event_name event_names[] = {
	{ "cpu-cycles", "cycles", HW(CPU_CYCLES), .help = "CPU cycles at the current frequency" },
	{ "instructions", NULL, HW(INSTRUCTIONS), .help = "retired instructions" },
	{ "cache-references", NULL, HW(CACHE_REFERENCES),
	  .help = "accesses to the last-level cache on most CPUs" },
	{ "cache-misses", NULL, HW(CACHE_MISSES),
	  .help = "misses of the last-level cache on most CPUs" },
	{ "branch-instructions", "branches", HW(BRANCH_INSTRUCTIONS), .help = "retired branches" },
	{ "branch-misses", NULL, HW(BRANCH_MISSES), .help = "mispredicted branches" },
	{ "bus-cycles", NULL, HW(BUS_CYCLES), .help = "cycles of the bus" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HW(STALLED_CYCLES_FRONTEND),
	  .help = "cycles stalled at issue" },
	{ "stalled-cycles-backend", "idle-cycles-backend", HW(STALLED_CYCLES_BACKEND),
	  .help = "cycles stalled at retirement" },
	{ "ref-cycles", NULL, HW(REF_CPU_CYCLES), .help = "CPU cycles at a fixed frequency" },

	{ "cpu-clock", NULL, SW(CPU_CLOCK), .help = "time of each CPU, measured by a timer" },
	{ "task-clock", NULL, SW(TASK_CLOCK), .help = "time for which tasks ran" },
	{ "page-faults", "faults", SW(PAGE_FAULTS), .help = "page faults" },
	{ "context-switches", "cs", SW(CONTEXT_SWITCHES),
	  .help = "switches from one task to another" },
	{ "cpu-migrations", "migrations", SW(CPU_MIGRATIONS),
	  .help = "tasks moved to another CPU" },
	{ "minor-faults", NULL, SW(PAGE_FAULTS_MIN), .help = "page faults without disk I/O" },
	{ "major-faults", NULL, SW(PAGE_FAULTS_MAJ), .help = "page faults with disk I/O" },
	{ "alignment-faults", NULL, SW(ALIGNMENT_FAULTS),
	  .help = "unaligned accesses that the kernel handled" },
	{ "emulation-faults", NULL, SW(EMULATION_FAULTS),
	  .help = "instructions that the kernel emulated" },
	{ "dummy", NULL, SW(DUMMY), .help = "counts nothing" },
	{ "bpf-output", NULL, SW(BPF_OUTPUT), .help = "data sent by BPF programs" },
	{ "cgroup-switches", NULL, SW(CGROUP_SWITCHES),
	  .help = "switches to a task of another cgroup" },

	{ "duration_time", NULL, TOOL(DURATION_TIME), .help = "wall time" },
	{ "user_time", NULL, TOOL(USER_TIME), .help = "user time of the workload" },
	{ "system_time", NULL, TOOL(SYSTEM_TIME), .help = "system time of the workload" },
	{ "run_cnt", NULL, TOOL(RUN_CNT), .help = "runs of BPF programs or scopes (-b, --scope)" },
	{ "scope-time", NULL, TOOL(SCOPE_TIME), .help = "wall time of scopes (--scope)" },
	{ .name = NULL },
};

const struct event_name *event_name__find(const struct span *name)
{
	for (const struct event_name *row = event_names; row->name; row++)
		if (span__is(name, row->name) || (row->alias && span__is(name, row->alias)))
			return row;
	return NULL;
}

/*
 * A spelling of a cache, an operation or a result in the name of a cache event. `id` is the number
 * of the cache, operation or result in perf_event_open(2). Of several spellings with the same `id`,
 * the first is the common one.
 */
struct spelling {
	const char *text;
	unsigned int id;
};

static const struct spelling caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D },
	{ "l1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I },
	{ "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I },
	{ "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },
	{ "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB },
	{ "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU },
	{ "branches", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU },
	{ "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },
	{ "node", PERF_COUNT_HW_CACHE_NODE },
	{ .text = NULL },
};

static const struct spelling operations[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "load", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ .text = NULL },
};

static const struct spelling results[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ .text = NULL },
};

#define READ (1 << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE (1 << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1 << PERF_COUNT_HW_CACHE_OP_PREFETCH)

static const unsigned char cache_operations[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_L1I] = READ | PREFETCH,
	[PERF_COUNT_HW_CACHE_LL] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_DTLB] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_ITLB] = READ,
	[PERF_COUNT_HW_CACHE_BPU] = READ,
	[PERF_COUNT_HW_CACHE_NODE] = READ | WRITE | PREFETCH,
};

/*
 * Finds the longest spelling at the start of *@rest that is followed by '-', or that is all of
 * *@rest. Moves *@rest past the spelling and the '-'. Returns NULL if no spelling matches.
 */
static const struct spelling *take(const struct spelling *table, struct span *rest)
{
	const struct spelling *best = NULL;
	size_t best_len = 0;

	for (const struct spelling *row = table; row->text; row++) {
		size_t len = strlen(row->text);

		if (len > rest->len || len < best_len || memcmp(rest->s, row->text, len))
			continue;
		if (len < rest->len && rest->s[len] != '-')
			continue;
		best = row;
		best_len = len;
	}
	if (!best)
		return NULL;
	if (best_len < rest->len)
		best_len++;
	rest->s += best_len;
	rest->len -= best_len;
	return best;
}

/*
 * The names of cache events in `bpftool prog profile`. The other events of this command, cycles and
 * instructions, have the same names in perf.
 */
static const struct {
	const char *name;
	uint64_t config;
} bpftool_names[] = {
	{ "l1d_loads", PERF_COUNT_HW_CACHE_L1D },
	{ "llc_misses", PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
	{ "itlb_misses", PERF_COUNT_HW_CACHE_ITLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
	{ "dtlb_misses", PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
};

static bool decode_bpftool_name(const struct span *name, uint64_t *config)
{
	for (size_t i = 0; i < sizeof(bpftool_names) / sizeof(bpftool_names[0]); i++) {
		if (!span__is(name, bpftool_names[i].name))
			continue;
		*config = bpftool_names[i].config;
		return true;
	}
	return false;
}

int event_name__decode_cache(const struct span *name, uint64_t *config, const char **why)
{
	const struct spelling *cache, *operation = NULL, *result = NULL;
	struct span rest = *name;

	*why = NULL;
	if (decode_bpftool_name(name, config))
		return 0;
	if (!rest.len || rest.s[rest.len - 1] == '-')
		return -ENOENT;
	cache = take(caches, &rest);
	if (!cache)
		return -ENOENT;
	while (rest.len) {
		const struct spelling *part = take(operations, &rest);

		if (part) {
			if (operation)
				*why = "two operations in the name of a cache event";
			operation = part;
			continue;
		}
		part = take(results, &rest);
		if (!part)
			return -ENOENT;
		if (result)
			*why = "two results in the name of a cache event";
		result = part;
	}
	if (operation && !(cache_operations[cache->id] & (1 << operation->id)))
		*why = "this cache has no such operation";
	if (*why)
		return -EINVAL;
	*config = cache->id;
	if (operation)
		*config |= (uint64_t)operation->id << 8;
	if (result)
		*config |= (uint64_t)result->id << 16;
	return 0;
}

/* Returns the first spelling in @table with the number @id, which @table must contain. */
static const char *common_spelling(const struct spelling *table, unsigned int id)
{
	while (table->id != id)
		table++;
	return table->text;
}

static int each_operation(unsigned int cache, unsigned int operation,
			  int (*each)(const char *name, uint64_t config, void *arg), void *arg)
{
	static const char *const singular[] = { "load", "store", "prefetch" };
	uint64_t config = cache | operation << 8;
	char name[64];
	int err;

	snprintf(name, sizeof(name), "%s-%s", common_spelling(caches, cache),
		 common_spelling(operations, operation));
	err = each(name, config, arg);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s-%s-misses", common_spelling(caches, cache),
		 singular[operation]);
	return each(name, config | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, arg);
}

int event_name__for_each_cache(int (*each)(const char *name, uint64_t config, void *arg), void *arg)
{
	for (unsigned int cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++) {
		for (unsigned int operation = 0; operation < PERF_COUNT_HW_CACHE_OP_MAX;
		     operation++) {
			int err = 0;

			if (cache_operations[cache] & (1 << operation))
				err = each_operation(cache, operation, each, arg);
			if (err)
				return err;
		}
	}
	return 0;
}
