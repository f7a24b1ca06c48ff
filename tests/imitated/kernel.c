// SPDX-License-Identifier: GPL-2.0-only
/*
 * See kernel.h. The answers are those of Linux 6.12: kernel/events/core.c, arch/x86/events and
 * drivers/perf.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/imitated/kernel.h"

#define NS 1000000000ull

static struct pmu pmus[MAX_PMUS];
static int nr_pmus;
static bool online[MAX_CPUS];

/* ---- the machine ---- */

static void mark_cpus(bool *cpus, const char *list)
{
	char *end;

	for (; *list; list = *end == ',' ? end + 1 : end) {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (end == list)
			return;
		for (; first <= last && first < MAX_CPUS; first++)
			cpus[first] = true;
	}
}

static enum kind kind_of(const char *word)
{
	static const char *const kinds[] = {
		[KIND_SOFTWARE] = "software", [KIND_CORE] = "core",
		[KIND_UNCORE] = "uncore",     [KIND_FREE] = "free",
		[KIND_SAMPLING] = "sampling",
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i], word))
			return (enum kind)i;
	fprintf(stderr, "imitated kernel: unknown kind of PMU: %s\n", word);
	exit(70);
}

static void set_moves(struct pmu *pmu, char *list)
{
	int cpu = 0;

	for (char *at = list; *at && cpu < MAX_CPUS; at += *at == ',')
		pmu->moves[cpu++] = (int)strtol(at, &at, 10);
}

static void set_cache(struct pmu *pmu, char *list)
{
	for (char *at = list; *at && pmu->nr_cache < MAX_CACHE; at += *at == ',')
		pmu->cache[pmu->nr_cache++] = strtoull(at, &at, 16);
}

static void set_key(struct pmu *pmu, const char *key, char *value)
{
	bool hardware[MAX_CPUS] = { false };

	if (!strcmp(key, "type"))
		pmu->type = (uint32_t)strtoul(value, NULL, 10);
	else if (!strcmp(key, "kind"))
		pmu->kind = kind_of(value);
	else if (!strcmp(key, "cpus"))
		mark_cpus(pmu->cpus, value);
	else if (!strcmp(key, "moves"))
		set_moves(pmu, value);
	else if (!strcmp(key, "cache"))
		set_cache(pmu, value);
	else if (!strcmp(key, "counters"))
		pmu->counters = atoi(value);
	else if (!strcmp(key, "slots"))
		pmu->slots = true;
	else if (!strcmp(key, "extended"))
		pmu->extended = true;
	else if (!strcmp(key, "arm"))
		pmu->arm = true;
	else if (!strcmp(key, "hardware")) {
		mark_cpus(hardware, value);
		for (int i = 0; i < 32; i++)
			pmu->hardware |= (uint32_t)hardware[i] << i;
	}
}

static void add_pmu(char *line)
{
	struct pmu *pmu = &pmus[nr_pmus++];
	char *save, *word = strtok_r(line, " \n", &save);

	snprintf(pmu->name, sizeof(pmu->name), "%s", word);
	memset(pmu->moves, -1, sizeof(pmu->moves));
	while ((word = strtok_r(NULL, " \n", &save))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		set_key(pmu, word, value ?: word + strlen(word));
	}
}

bool kernel__load(const char *path)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	if (nr_pmus)
		return true;
	file = path ? fopen(path, "re") : NULL;
	if (!file) {
		fprintf(stderr, "imitated kernel: cannot read the machine %s\n",
			path ?: "(IMITATED_KERNEL)");
		return false;
	}
	while (getline(&line, &size, file) > 0) {
		if (!strncmp(line, "cpus ", 5))
			mark_cpus(online, line + 5);
		else if (!strncmp(line, "pmu ", 4) && nr_pmus < MAX_PMUS)
			add_pmu(line + 4);
	}
	free(line);
	fclose(file);
	return true;
}

/* ---- perf_event_open(2) ---- */

static bool excludes(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

static bool is_generic(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;
}

/* A generic event exists only if the PMU's table has it. */
static int init_generic(const struct event *event, const struct pmu *pmu)
{
	uint64_t config = event->attr.config & 0xffffffff;

	if (event->attr.type == PERF_TYPE_HARDWARE) {
		if (config >= PERF_COUNT_HW_MAX)
			return -EINVAL;
		return pmu->hardware >> config & 1 ? 0 : -ENOENT;
	}
	for (int i = 0; i < pmu->nr_cache; i++)
		if (pmu->cache[i] == config)
			return 0;
	return (config & 0xff) >= PERF_COUNT_HW_CACHE_MAX ? -EINVAL : -ENOENT;
}

/* Intel's slots and topdown-*: events of the fixed counter that PERF_METRICS divides. */
static bool is_slots(const struct event *event)
{
	return event->pmu->slots && event->attr.type == event->pmu->type &&
	       (event->attr.config & 0xffff) == 0x400;
}

static bool is_topdown(const struct event *event, const struct pmu *pmu)
{
	uint64_t code = event->attr.config & 0xffff;

	return pmu->slots && event->attr.type == pmu->type && code >= 0x8000 && code <= 0x8700 &&
	       !(code & 0xff);
}

static int group_size(const struct event *leader, const struct pmu *pmu)
{
	int nr = 0;

	for (const struct event *e = leader; e; e = e->next)
		nr += e->pmu == pmu && !is_slots(e) && !is_topdown(e, pmu);
	return nr;
}

static int init_core(const struct event *event, const struct event *leader, const struct pmu *pmu)
{
	const struct perf_event_attr *attr = &event->attr;

	if (event->cpu >= 0 && !pmu->cpus[event->cpu])
		return -ENOENT;
	if (is_generic(attr)) {
		int err = init_generic(event, pmu);

		if (err)
			return err;
	}
	if (pmu->arm && attr->exclude_idle)
		return -EOPNOTSUPP;
	if (attr->precise_ip && !attr->sample_period)
		return pmu->arm ? -EOPNOTSUPP : -EINVAL;
	if (is_topdown(event, pmu) && (attr->sample_period || !leader || !is_slots(leader)))
		return -EINVAL;
	if (leader && pmu->counters && group_size(leader, pmu) >= pmu->counters)
		return -EINVAL;
	return 0;
}

static int init_uncore(struct event *event, const struct pmu *pmu)
{
	if (excludes(&event->attr) || event->attr.sample_period || event->cpu < 0 ||
	    event->pid != -1)
		return -EINVAL;
	if (pmu->moves[event->cpu] < 0)
		return -EINVAL;
	event->cpu = pmu->moves[event->cpu];
	return 0;
}

/* perf_try_init_event(): the driver's event_init. */
static int try_pmu(struct event *event, const struct event *leader, const struct pmu *pmu)
{
	bool generic = is_generic(&event->attr) && pmu->kind == KIND_CORE;
	int err = 0;

	if (event->attr.type != pmu->type && !generic)
		return -ENOENT;
	if (pmu->kind == KIND_CORE)
		err = init_core(event, leader, pmu);
	else if (pmu->kind == KIND_UNCORE)
		err = init_uncore(event, pmu);
	else if (pmu->kind == KIND_FREE && (excludes(&event->attr) || event->attr.sample_period))
		err = -EINVAL;
	else if (pmu->kind == KIND_SAMPLING && !event->attr.sample_period)
		err = -EINVAL;
	if (!err)
		event->pmu = pmu;
	return err;
}

static const struct pmu *pmu_of_type(uint32_t type)
{
	for (int i = 0; i < nr_pmus; i++)
		if (pmus[i].type == type)
			return &pmus[i];
	return NULL;
}

/* perf_init_event(): the PMU of that type, else the first that takes it. */
static int find_pmu(struct event *event, const struct event *leader)
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
	pmu = pmu_of_type(type);
	if (pmu) {
		if (event->attr.type != type && type != PERF_TYPE_RAW && !pmu->extended)
			return -ENOENT;
		err = try_pmu(event, leader, pmu);
		if (err != -ENOENT || event->attr.type == type || extended)
			return err;
	} else if (extended) {
		return -ENOENT;
	}
	for (int i = 0; i < nr_pmus; i++) {
		err = try_pmu(event, leader, &pmus[i]);
		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

/* A group is of one task, one CPU, and one PMU besides the software events in it. */
static int join_group(const struct event *event, const struct event *leader)
{
	if (leader->leader != leader || leader->cpu != event->cpu || leader->pid != event->pid)
		return -EINVAL;
	if (event->attr.exclusive || event->attr.pinned)
		return -EINVAL;
	if (event->pmu->kind == KIND_SOFTWARE || event->pmu->kind == KIND_FREE)
		return 0;
	for (const struct event *e = leader; e; e = e->next)
		if (e->pmu != event->pmu && e->pmu->kind != KIND_SOFTWARE &&
		    e->pmu->kind != KIND_FREE)
			return -EINVAL;
	return 0;
}

int kernel__init_event(struct event *event, struct event *leader, int cpu)
{
	int err;

	if (event->pid == -1 && cpu == -1)
		return -EINVAL;
	if (cpu < -1 || cpu >= MAX_CPUS)
		return -EINVAL;
	if (cpu >= 0 && !online[cpu])
		return -ENODEV;
	event->cpu = cpu;
	err = find_pmu(event, leader);
	return err ?: leader ? join_group(event, leader) : 0;
}

/* ---- counts ---- */

static uint64_t mixed(uint64_t hash, uint64_t word)
{
	hash = (hash + word + 1) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* A count that depends only on the event and the CPU, and differs between events and CPUs. */
static uint64_t value_of(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t hash = mixed(attr->type + 1, attr->config), excluded;

	if (attr->type == PERF_TYPE_SOFTWARE && attr->config <= PERF_COUNT_SW_TASK_CLOCK)
		return NS + (uint64_t)(event->cpu + 1) * 10000;
	excluded = attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_hv << 2 |
		   attr->exclude_host << 3;
	hash = mixed(mixed(mixed(mixed(hash, attr->config1), attr->config2), event->config3),
		     excluded);
	hash = mixed(hash, (uint64_t)event->cpu);
	return 1000000 + hash % 900000000;
}

static int nr_core_pmus(const struct pmu **first)
{
	int nr = 0;

	for (int i = nr_pmus - 1; i >= 0; i--)
		if (pmus[i].kind == KIND_CORE) {
			*first = &pmus[i];
			nr++;
		}
	return nr;
}

/*
 * On a machine with two kinds of core, a task spends 60 % of its time on the first and 40 % on the
 * other. A group runs where its core events do.
 */
static uint64_t running_of(const struct event *event)
{
	const struct pmu *first = NULL;

	if (event->cpu >= 0 || nr_core_pmus(&first) < 2)
		return NS;
	for (const struct event *e = event->leader; e; e = e->next)
		if (e->pmu->kind == KIND_CORE)
			return e->pmu == first ? NS / 10 * 6 : NS / 10 * 4;
	return NS;
}

static int add_words(const struct event *event, uint64_t format, uint64_t *words)
{
	int nr = 0;

	words[nr++] = value_of(event);
	if (format & PERF_FORMAT_ID)
		words[nr++] = event->id;
	if (format & PERF_FORMAT_LOST)
		words[nr++] = 0;
	return nr;
}

int kernel__read(const struct event *event, uint64_t *words)
{
	uint64_t format = event->attr.read_format;
	bool group = format & PERF_FORMAT_GROUP;
	int nr = 0;

	if (group) {
		words[nr++] = 0;
		for (const struct event *e = event->leader; e; e = e->next)
			words[0]++;
	} else {
		words[nr++] = value_of(event);
	}
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[nr++] = NS;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[nr++] = running_of(event);
	if (group) {
		for (const struct event *e = event->leader; e; e = e->next)
			nr += add_words(e, format, words + nr);
		return nr;
	}
	if (format & PERF_FORMAT_ID)
		words[nr++] = event->id;
	if (format & PERF_FORMAT_LOST)
		words[nr++] = 0;
	return nr;
}
