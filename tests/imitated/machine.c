// SPDX-License-Identifier: GPL-2.0-only
/* Reads the file of a machine: see kernel.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/imitated/kernel.h"

static struct machine machine;

void machine__mark_cpus(bool *cpus, const char *list)
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

static enum driver driver_of(const char *word)
{
	if (!strcmp(word, "arm"))
		return DRIVER_ARM;
	if (!strcmp(word, "amd"))
		return DRIVER_AMD;
	fprintf(stderr, "imitated kernel: unknown driver: %s\n", word);
	exit(70);
}

static void set_moves(struct pmu *pmu, char *list)
{
	int cpu = 0;

	for (char *at = list; *at && cpu < MAX_CPUS; at += *at == ',')
		pmu->moves[cpu++] = (int)strtol(at, &at, 10);
}

static void set_configs(struct configs *configs, char *list)
{
	for (char *at = list; *at && configs->nr < MAX_CONFIGS; at += *at == ',')
		configs->values[configs->nr++] = strtoull(at, &at, 16);
}

/* Parses a list CODE[=N],…, where N is the number of the same event in PERF_TYPE_HARDWARE. */
static void set_fixed(struct pmu *pmu, char *list)
{
	for (char *at = list; *at && pmu->nr_fixed < MAX_FIXED; at += *at == ',') {
		struct fixed_counter *fixed = &pmu->fixed[pmu->nr_fixed++];

		fixed->config = strtoull(at, &at, 16);
		fixed->hardware = *at == '=' ? (int)strtol(at + 1, &at, 10) : -1;
	}
}

static void set_key(struct pmu *pmu, const char *key, char *value)
{
	bool hardware[MAX_CPUS] = { false };

	if (!strcmp(key, "type"))
		pmu->type = (uint32_t)strtoul(value, NULL, 10);
	else if (!strcmp(key, "kind"))
		pmu->kind = kind_of(value);
	else if (!strcmp(key, "driver"))
		pmu->driver = driver_of(value);
	else if (!strcmp(key, "cpus"))
		machine__mark_cpus(pmu->cpus, value);
	else if (!strcmp(key, "moves"))
		set_moves(pmu, value);
	else if (!strcmp(key, "stays"))
		pmu->stays = true;
	else if (!strcmp(key, "cache"))
		set_configs(&pmu->cache, value);
	else if (!strcmp(key, "configs"))
		set_configs(&pmu->configs, value);
	else if (!strcmp(key, "counters"))
		pmu->counters = atoi(value);
	else if (!strcmp(key, "fixed"))
		set_fixed(pmu, value);
	else if (!strcmp(key, "topdown"))
		pmu->topdown = atoi(value);
	else if (!strcmp(key, "extended"))
		pmu->extended = true;
	else if (!strcmp(key, "hardware")) {
		machine__mark_cpus(hardware, value);
		for (int i = 0; i < 32; i++)
			pmu->hardware |= (uint32_t)hardware[i] << i;
	}
}

static void add_pmu(char *line)
{
	struct pmu *pmu = &machine.pmus[machine.nr_pmus++];
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

const struct machine *machine__get(void)
{
	const char *path = getenv("IMITATED_KERNEL");
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	if (machine.nr_pmus)
		return &machine;
	file = path ? fopen(path, "re") : NULL;
	if (!file) {
		fprintf(stderr, "imitated kernel: cannot read the machine %s\n",
			path ?: "(IMITATED_KERNEL)");
		return NULL;
	}
	while (getline(&line, &size, file) > 0) {
		if (!strncmp(line, "cpus ", 5))
			machine__mark_cpus(machine.online, line + 5);
		else if (!strncmp(line, "pmu ", 4) && machine.nr_pmus < MAX_PMUS)
			add_pmu(line + 4);
	}
	free(line);
	fclose(file);
	return &machine;
}
