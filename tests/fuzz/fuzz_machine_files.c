// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any content for files in which the kernel tells of the machine. The first byte says which: /proc/PID/maps, kallsyms, a PMU's event and
 * what lies beside it, a PMU's CPUs, cpuinfo with a vendor's mapfile.csv, a CPU's topology, mounts, a vendor's events behind a line with
 * those that other models have too.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "tests/fuzz/tries.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/machine/cgroup.h"
#include "util/machine/cpuid.h"
#include "util/machine/cpuinfo.h"
#include "util/machine/cpumap.h"
#include "util/machine/kernel-symbols.h"
#include "util/machine/mapped-objects.h"
#include "util/machine/pmu.h"
#include "util/machine/topology.h"
#include "util/report/metric-machine.h"

#define PID 5
/* Behind its begin nothing is of a function. */
#define LONGEST_FUNCTION (1 << 20)

static char vendor_dir[128];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	machine__init();
	fake_roots__file(&machine, "sys/devices/system/cpu/online", "0-3\n");
	fake_roots__pmu_file(&machine, "p", "type", "7\n");
	fake_roots__pmu_file(&machine, "p", "events/e", "event=1\n");
	fake_roots__pmu_file(&machine, "q", "type", "8\n");
	fake_roots__file(&machine, "vendor/m/events.json", "[{\"EventName\": \"A\", \"EventCode\": \"1\"}]\n");
	snprintf(vendor_dir, sizeof(vendor_dir), "%s/vendor", machine.dir);
	return 0;
}

/* What a line maps is found where it begins, unless a later one hides it: whatever is told lies in some range. */
static void try_maps(const char *text)
{
	struct mapped_objects *objects = mapped_objects__new(&machine.roots, "/nonexistent");
	unsigned long long start;
	uint64_t offset;

	if (!objects)
		abort();
	fake_roots__file(&machine, "proc/5/maps", text);
	if (mapped_objects__add_process(objects, PID))
		abort();
	for (const char *line = text; line && sscanf(line, "%llx", &start) == 1; line = strchr(line + 1, '\n')) {
		const struct object *found = mapped_objects__by_address(objects, PID, start, &offset);

		if (found && !mapped_objects__nr(objects))
			abort();
		mapped_objects__by_address(objects, PID, start - 1, &offset);
	}
	if (mapped_objects__fork(objects, PID, PID + 1))
		abort();
	mapped_objects__end(objects, PID);
	mapped_objects__free(objects);
}

static void try_kallsyms(const char *text)
{
	struct kernel_symbols *symbols;
	struct kernel_symbol found;
	unsigned long long address;
	int err;

	fake_roots__file(&machine, "proc/kallsyms", text);
	err = kernel_symbols__read(&machine.roots, NULL, &symbols);
	if (err) {
		if (symbols || (err != -EACCES && err != -ENODATA))
			abort();
		return;
	}
	for (const char *line = text; line && sscanf(line, "%llx", &address) == 1; line = strchr(line + 1, '\n')) {
		if (!kernel_symbols__find(symbols, address, &found) &&
		    (found.offset > LONGEST_FUNCTION || !found.name || !found.object))
			abort();
		kernel_symbols__find(symbols, address + 1, &found);
	}
	kernel_symbols__free(symbols);
}

/* The next line at *@text, and *@text behind it. To be freed. */
static char *take_line(const char **text)
{
	size_t len = strcspn(*text, "\n");
	char *line = strndup(*text, len);

	if (!line)
		abort();
	*text += len + ((*text)[len] == '\n');
	return line;
}

static void try_alias(const char *text)
{
	static const char *const files[] = { "events/e.scale", "events/e.unit", "events/e.snapshot", "events/e.per-pkg",
					     "alias" };
	struct pmu *pmu = pmu__new(&machine.roots, "p");
	struct pmu_alias alias;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *line = take_line(&text);

		fake_roots__pmu_file(&machine, "p", files[i], line);
		free(line);
	}
	fake_roots__pmu_file(&machine, "p", "events/e", text);
	if (!pmu || pmu__load(pmu))
		abort();
	if (!pmu__find_alias(pmu, "E", &alias) &&
	    (!alias.terms || !*alias.terms || !alias.unit || !isfinite(alias.scale) || alias.scale < 0))
		abort();
	pmu__matches(pmu, "uncore_p_1");
	pmu__free(pmu);
}

static void try_cpus(const char *text)
{
	struct pmu *pmu;
	char *line = take_line(&text);

	fake_roots__pmu_file(&machine, "q", "type", line);
	fake_roots__pmu_file(&machine, "q", "cpumask", text);
	fake_roots__pmu_file(&machine, "q", "format/f", line);
	free(line);
	pmu = pmu__new(&machine.roots, "q");
	if (!pmu)
		abort();
	if (pmu__load(pmu) && !pmu__bad_file(pmu))
		abort();
	for (int i = 0; pmu__format_name(pmu, i); i++) {
		uint64_t bits[4];

		pmu__format_bits(pmu, bits);
	}
	pmu__free(pmu);
}

/* The first line is of the mapfile, and a pattern for the model too. */
static void try_cpuinfo(const char *text)
{
	char *line = take_line(&text), value[64];
	struct vendor *vendor;
	struct cpuid ids[2];
	double hz;
	int nr;

	fake_roots__file(&machine, "vendor/mapfile.csv", line);
	fake_roots__file(&machine, "proc/cpuinfo", text);
	nr = cpuid__read(&machine.roots, ids, 2);
	if (nr < 0 || nr > 2)
		abort();
	for (int i = 0; i < nr; i++)
		cpuid__matches(&ids[i], line);
	metric_machine__is_cpu(&(struct metric_machine){ .roots = &machine.roots }, line);
	if (!cpuinfo__field(&machine.roots, "model", value, sizeof(value)) && strchr(value, '\n'))
		abort();
	cpuinfo__tsc_frequency(&machine.roots, &hz);
	vendor = vendor__new(vendor_dir, &machine.roots);
	if (!vendor || (vendor__get(vendor, 0) && strcmp(vendor__get(vendor, 0)->name, "a") != 0))
		abort();
	vendor__free(vendor);
	free(line);
}

static void try_topology(const char *text)
{
	static const char *const files[] = { "node/online",
					     "cpu/cpu0/topology/core_id",
					     "cpu/cpu1/topology/die_id",
					     "cpu/cpu2/topology/physical_package_id",
					     "cpu/cpu0/cache/index0/level",
					     "cpu/cpu0/cache/index0/shared_cpu_list",
					     "cpu/cpu3/topology/cluster_id",
					     "node/node0/cpulist" };
	struct topology *topology = NULL;
	struct cpumap *cpus;
	char path[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *line = take_line(&text);

		snprintf(path, sizeof(path), "sys/devices/system/%s", files[i]);
		fake_roots__file(&machine, path, line);
		free(line);
	}
	if (cpumap__online(&machine.roots, &cpus))
		abort();
	if (!topology__read(&machine.roots, cpus, TOPOLOGY_LAST_CACHE, &topology))
		for (int i = -1; i < 6; i++)
			if (topology__place(topology, i)->die < -1)
				abort();
	topology__free(topology);
	cpumap__free(cpus);
}

static void try_mounts(const char *text)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup_mount mount;
	int err;

	fake_roots__file(&machine, "proc/mounts", text);
	err = cgroup_mount__find(&machine.roots, &mount, &why);
	if (err ? err != -ENODEV || !why.len || mount.dir : !mount.dir)
		abort();
	cgroup_mount__free(&mount);
	strbuf__free(&why);
}

/* Each event is found by its name, unless another PMU has one of that name. */
static void try_vendor(const char *text)
{
	char *line = take_line(&text);
	struct vendor *vendor;

	fake_roots__file(&machine, "vendor/mapfile.csv", "GenuineIntel-6-55-4,v1,m,core\n");
	fake_roots__file(&machine, "proc/cpuinfo",
			 "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n");
	fake_roots__file(&machine, "vendor/standard.json", line);
	fake_roots__file(&machine, "vendor/m/events.json", text);
	vendor = vendor__new(vendor_dir, &machine.roots);
	if (!vendor)
		abort();
	for (int i = 0; vendor__get(vendor, i); i++) {
		const struct vendor_event *event = vendor__get(vendor, i);

		if (!event->name || !*event->name || !event->terms || !isfinite(event->scale))
			abort();
	}
	if (!vendor__notes(vendor))
		abort();
	vendor__free(vendor);
	fake_roots__file(&machine, "vendor/standard.json", "[]");
	fake_roots__file(&machine, "vendor/m/events.json", "[{\"EventName\": \"A\", \"EventCode\": \"1\"}]\n");
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const char *text) = { try_maps,	try_kallsyms, try_alias,  try_cpus,
							   try_cpuinfo, try_topology, try_mounts, try_vendor };

	return try_one(tries, sizeof(tries) / sizeof(tries[0]), data, size);
}
