// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as files in which the kernel describes the machine. The first byte selects the
 * kind: /proc/PID/maps, kallsyms, a PMU's event and the files next to it, a PMU's CPUs, cpuinfo
 * with a vendor's mapfile.csv, a CPU's topology, mounts, a vendor's events after a line with events
 * that other models also have, or the functions that a process has compiled itself.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/machine.h"
#include "tests/fuzz/slow-maps.h"
#include "tests/fuzz/slow-topology.h"
#include "tests/fuzz/tries.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpuid.h"
#include "util/machine/cpu/cpuinfo.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/symbols/kernel-symbols.h"
#include "util/machine/symbols/mapped-objects.h"
#include "util/machine/symbols/perf-map.h"
#include "util/machine/symbols/symbol-table.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/cpu/topology.h"
#include "util/machine/machine-view.h"

#define PID 5
/* An address that is farther from the beginning of a function is not in the function. */
#define LONGEST_FUNCTION (1 << 20)
/* The number of bytes of an event's name that a search compares. */
#define VENDOR_NAME_MAX 255

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
	fake_roots__file(&machine, "vendor/m/events.json",
			 "[{\"EventName\": \"A\", \"EventCode\": \"1\"}]\n");
	snprintf(vendor_dir, sizeof(vendor_dir), "%s/vendor", machine.dir);
	return 0;
}

/* Returns the line at *@text, which the caller frees, and moves *@text to the next line. */
static char *take_line(const char **text)
{
	size_t len = strcspn(*text, "\n");
	char *line = strndup(*text, len);

	if (!line)
		abort();
	*text += len + ((*text)[len] == '\n');
	return line;
}

/* Parses the lines like /proc/PID/maps, and adds those that map code to slow_maps. */
static void read_maps_slowly(const char *text)
{
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char permissions[5];

	slow_maps__clear();
	while (*text) {
		char *line = take_line(&text);
		int path_at = 0;

		if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, permissions,
			   &offset, &major, &minor, &inode, &path_at) == 7 &&
		    path_at && strchr(permissions, 'x') && start < end)
			slow_maps__add(PID, start, end - start, offset, line + path_at);
		free(line);
	}
}

/*
 * The last line that contains an address determines its file and offset. This also applies in a
 * child, and after both processes have ended.
 */
static void try_maps(const char *text)
{
	struct mapped_objects *objects = mapped_objects__new(&machine.roots, "/nonexistent");

	if (!objects)
		abort();
	fake_roots__file(&machine, "proc/5/maps", text);
	if (mapped_objects__add_process(objects, PID))
		abort();
	read_maps_slowly(text);
	slow_maps__compare(objects);
	if (mapped_objects__fork(objects, PID, PID + 1))
		abort();
	slow_maps__fork(PID, PID + 1);
	slow_maps__compare(objects);
	mapped_objects__end(objects, PID);
	mapped_objects__end(objects, PID + 1);
	slow_maps__compare(objects);
	mapped_objects__free(objects);
	slow_maps__clear();
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
	for (const char *line = text; line && sscanf(line, "%llx", &address) == 1;
	     line = strchr(line + 1, '\n')) {
		if (!kernel_symbols__find(symbols, address, &found) &&
		    (found.offset > LONGEST_FUNCTION || !found.name || !found.object))
			abort();
		kernel_symbols__find(symbols, address + 1, &found);
	}
	kernel_symbols__free(symbols);
}

static void try_alias(const char *text)
{
	static const char *const files[] = { "events/e.scale", "events/e.unit", "events/e.snapshot",
					     "events/e.per-pkg", "alias" };
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
	if (!pmu__find_alias(pmu, "E", &alias) && (!alias.terms || !*alias.terms || !alias.unit ||
						   !isfinite(alias.scale) || alias.scale < 0))
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

/* The first line is the mapfile, and also a pattern for the CPU model. */
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
	machine_view__is_cpu(&(struct machine_view){ .roots = &machine.roots }, line);
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
	char path[128], *lines[SLOW_TOPOLOGY_FILES];
	struct topology *topology = NULL;
	struct cpumap *cpus;
	int err;

	for (int i = 0; i < SLOW_TOPOLOGY_FILES; i++) {
		lines[i] = take_line(&text);
		snprintf(path, sizeof(path), "sys/devices/system/%s", slow_topology_files[i]);
		fake_roots__file(&machine, path, lines[i]);
	}
	if (cpumap__online(&machine.roots, &cpus))
		abort();
	err = topology__read(&machine.roots, cpus, TOPOLOGY_LAST_CACHE, &topology);
	slow_topology__compare(topology, err, lines);
	for (int i = 0; i < SLOW_TOPOLOGY_FILES; i++)
		free(lines[i]);
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

/* Returns the first event with this name that @pmu has. */
static const struct vendor_event *find_slowly(struct vendor *vendor, const char *name,
					      struct pmu *pmu)
{
	const struct vendor_event *event;

	for (int i = 0; (event = vendor__get(vendor, i)); i++)
		if (!strcmp(event->name, name) &&
		    (event->pmu ? pmu__matches(pmu, event->pmu) : pmu__is_core(pmu)))
			return event;
	return NULL;
}

static void look_up_all(struct vendor *vendor, const char *pmu_name)
{
	struct pmu *pmu = pmu__new(&machine.roots, pmu_name);
	const struct vendor_event *event;

	if (!pmu)
		abort();
	for (int i = 0; (event = vendor__get(vendor, i)); i++)
		if (strlen(event->name) <= VENDOR_NAME_MAX &&
		    vendor__find(vendor, event->name, pmu) != find_slowly(vendor, event->name, pmu))
			abort();
	pmu__free(pmu);
}

/*
 * The events are sorted by name, and each must be found by its own name on the core PMU, or on the
 * PMU that it names.
 */
static void try_vendor(const char *text)
{
	char *line = take_line(&text);
	const struct vendor_event *event, *before = NULL;
	struct vendor *vendor;

	fake_roots__file(&machine, "vendor/mapfile.csv", "GenuineIntel-6-55-4,v1,m,core\n");
	fake_roots__file(
		&machine, "proc/cpuinfo",
		"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n");
	fake_roots__file(&machine, "vendor/standard.json", line);
	fake_roots__file(&machine, "vendor/m/events.json", text);
	vendor = vendor__new(vendor_dir, &machine.roots);
	if (!vendor)
		abort();
	for (int i = 0; (event = vendor__get(vendor, i)); i++) {
		if (!event->name || !*event->name || !event->terms || !isfinite(event->scale))
			abort();
		if (before && strcmp(before->name, event->name) > 0)
			abort();
		before = event;
	}
	look_up_all(vendor, "cpu");
	look_up_all(vendor, "uncore_imc_0");
	if (!vendor__notes(vendor))
		abort();
	vendor__free(vendor);
	fake_roots__file(&machine, "vendor/standard.json", "[]");
	fake_roots__file(&machine, "vendor/m/events.json",
			 "[{\"EventName\": \"A\", \"EventCode\": \"1\"}]\n");
	free(line);
}

/* Reads the line "START SIZE NAME" in a simple way. Returns where the name begins, or 0. */
static int slow_function(const char *line, unsigned long long *start, unsigned long long *size)
{
	char digits[2][17];
	int name = 0;

	if (sscanf(line, "%16[0-9a-f]%*1[ ]%16[0-9a-f]%*1[ ]%n", digits[0], digits[1], &name) !=
		    2 ||
	    !name || !line[name])
		return 0;
	*start = strtoull(digits[0], NULL, 16);
	*size = strtoull(digits[1], NULL, 16);
	return *size && *start + *size > *start ? name : 0;
}

/* Returns whether a function begins at @start in one of the lines of @text. */
static bool comes_again(const char *text, unsigned long long start)
{
	char *line;
	bool found = false;

	while (!found && *text) {
		line = take_line(&text);
		found = strtoull(line, NULL, 16) == start;
		free(line);
	}
	return found;
}

/*
 * Each function must be found at its start. If several functions have the same start, the last one
 * must be found.
 */
static void try_perf_map(const char *text)
{
	struct symbol_table *table = symbol_table__new();
	int fd = memfd_create("map", MFD_CLOEXEC), name;
	unsigned long long start, size;

	if (!table || fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    perf_map__read(table, fd))
		abort();
	close(fd);
	while (*text) {
		char *line = take_line(&text);
		const struct symbol *found;

		name = slow_function(line, &start, &size);
		found = name ? symbol_table__find(table, start) : NULL;
		if (name && !found)
			abort();
		if (name && !comes_again(text, start) && strcmp(found->name, line + name) != 0)
			abort();
		free(line);
	}
	symbol_table__free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const char *text) = { try_maps,   try_kallsyms, try_alias,
							   try_cpus,   try_cpuinfo,  try_topology,
							   try_mounts, try_vendor,   try_perf_map };

	return try_one(tries, sizeof(tries) / sizeof(tries[0]), data, size);
}
