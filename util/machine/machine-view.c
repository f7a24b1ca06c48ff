// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/machine-view.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/machine/cpu/cpuid.h"
#include "util/machine/cpu/cpuinfo.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"
#include "util/machine/cpu/topology.h"

/* The parts of the machine that can contain several CPUs. */
enum place_level {
	PACKAGE,
	DIE,
	CORE,
};

struct places {
	struct cpumap *online;
	struct topology *topology;
};

static void places__free(struct places *places)
{
	topology__free(places->topology);
	cpumap__free(places->online);
}

static int places__read(const struct sysroots *roots, struct places *places)
{
	int err;

	*places = (struct places){ 0 };
	err = cpumap__online(roots, &places->online);
	if (!err)
		err = topology__read(roots, places->online, TOPOLOGY_NO_CACHE, &places->topology);
	if (err)
		places__free(places);
	return err;
}

static bool same(const struct places *places, int one, int other, enum place_level level)
{
	const struct cpu_place *a = topology__place(places->topology, places->online->ids[one]);
	const struct cpu_place *b = topology__place(places->topology, places->online->ids[other]);

	if (a->socket != b->socket || (level >= DIE && a->die != b->die))
		return false;
	return level < CORE || (a->cluster == b->cluster && a->core == b->core);
}

/*
 * Returns the number of packages, dies or cores that have an online CPU. Counts each of them once,
 * at its first CPU.
 */
static int count(const struct places *places, enum place_level level)
{
	int nr = 0;

	for (int i = 0; i < places->online->nr; i++) {
		int before = 0;

		while (before < i && !same(places, before, i, level))
			before++;
		nr += before == i;
	}
	return nr;
}

static bool smt_is_on(const struct sysroots *roots, const struct places *places)
{
	uint64_t active;

	if (!sysfs__read_u64(roots->sysfs, "devices/system/cpu/smt/active", &active))
		return active == 1;
	return count(places, CORE) < places->online->nr;
}

static bool is_core_wide(const struct machine_view *machine, const struct places *places)
{
	const struct cpumap *online = places->online;

	if (!machine->system_wide)
		return false;
	if (!machine->cpus || !smt_is_on(machine->roots, places))
		return true;
	for (int i = 0; i < online->nr; i++)
		for (int j = 0; j < online->nr; j++)
			if (cpumap__index(machine->cpus, online->ids[i]) >= 0 &&
			    cpumap__index(machine->cpus, online->ids[j]) < 0 &&
			    same(places, i, j, CORE))
				return false;
	return true;
}

/* ---- the facts ---- */

/* Values of @what in of_places(), in addition to those of enum place_level. */
enum { SMT_ON = CORE + 1, CORE_WIDE };

static int of_places(const struct machine_view *machine, int what, double *value)
{
	struct places places;
	int err = places__read(machine->roots, &places);

	if (err)
		return err == -ENOMEM ? err : -ENODATA;
	if (what == SMT_ON)
		*value = smt_is_on(machine->roots, &places);
	else if (what == CORE_WIDE)
		*value = is_core_wide(machine, &places);
	else
		*value = count(&places, (enum place_level)what);
	places__free(&places);
	return 0;
}

static int num_cpus(const struct machine_view *machine, int online, double *value)
{
	struct cpumap *cpus;
	int err = online ? cpumap__online(machine->roots, &cpus) :
			   cpumap__read(machine->roots, "devices/system/cpu/present", &cpus);

	if (err)
		return err == -ENOMEM ? err : -ENODATA;
	*value = online ? cpus->nr : cpumap__last(cpus) + 1;
	cpumap__free(cpus);
	return 0;
}

static int tsc_frequency(const struct machine_view *machine, int unused, double *value)
{
	(void)unused;
	return cpuinfo__tsc_frequency(machine->roots, value);
}

/*
 * Reads the number of operations that a CPU of the first core PMU can issue in a cycle. Returns 0,
 * -ENODATA or -ENOMEM.
 */
static int slots(const struct machine_view *machine, int unused, double *value)
{
	struct pmus *pmus = pmus__new(machine->roots);
	int err = -ENODATA;
	char path[PATH_MAX];
	uint64_t number;

	(void)unused;
	if (!pmus)
		return -ENOMEM;
	snprintf(path, sizeof(path), "bus/event_source/devices/%s/caps/slots",
		 pmu__name(pmus__get(pmus, 0)));
	if (!sysfs__read_u64(machine->roots->sysfs, path, &number) && number) {
		*value = (double)number;
		err = 0;
	}
	pmus__free(pmus);
	return err;
}

static int has_pmem(const struct machine_view *machine, int unused, double *value)
{
	char path[PATH_MAX];

	(void)unused;
	snprintf(path, sizeof(path), "%s/firmware/acpi/tables/NFIT", machine->roots->sysfs);
	*value = !access(path, F_OK);
	return 0;
}

static int has_target_cpu(const struct machine_view *machine, int unused, double *value)
{
	(void)unused;
	*value = machine->system_wide || machine->cpus;
	return 0;
}

#if defined(__x86_64__) || defined(__i386__)
#define IS_X86 true
#else
#define IS_X86 false
#endif
#ifdef __aarch64__
#define IS_ARM64 true
#else
#define IS_ARM64 false
#endif

static const struct {
	const char *name;
	int (*find)(const struct machine_view *machine, int what, double *value);
	int what;
	bool is_event;
	const char *help;
} facts[] = {
	{ "has_pmem", has_pmem, 0, true, "1 if the firmware describes persistent memory, else 0" },
	{ "num_cores", of_places, CORE, true, "number of cores that have an online CPU" },
	{ "num_cpus", num_cpus, 0, true, "number of CPUs, offline ones included" },
	{ "num_cpus_online", num_cpus, 1, true, "number of online CPUs" },
	{ "num_dies", of_places, DIE, true, "number of dies that have an online CPU" },
	{ "num_packages", of_places, PACKAGE, true,
	  "number of packages (sockets) that have an online CPU" },
	{ "slots", slots, 0, IS_ARM64, "number of operations that the CPU can issue in a cycle" },
	{ "smt_on", of_places, SMT_ON, true, "1 if cores run several threads at once, else 0" },
	{ "system_tsc_freq", tsc_frequency, 0, IS_X86,
	  "frequency of the time stamp counter in Hz" },
	{ "core_wide", of_places, CORE_WIDE, true,
	  "1 if all threads of each counted core are counted, else 0" },
	{ "target_cpu", has_target_cpu, 0, true, "1 if CPUs are counted, 0 if tasks are" },
};

#define NR_FACTS ((int)(sizeof(facts) / sizeof(facts[0])))

int machine_view__find_fact(const char *name, size_t len)
{
	for (int i = 0; i < NR_FACTS; i++)
		if (strlen(facts[i].name) == len && !strncasecmp(facts[i].name, name, len))
			return i;
	return -1;
}

const char *machine_view__fact_name(int fact)
{
	return fact < NR_FACTS ? facts[fact].name : NULL;
}

const char *machine_view__fact_help(int fact)
{
	return facts[fact].help;
}

bool machine_view__fact_is_event(int fact)
{
	return facts[fact].is_event;
}

int machine_view__fact(const struct machine_view *machine, int fact, double *value)
{
	return facts[fact].find(machine, facts[fact].what, value);
}

int machine_view__literal(const struct machine_view *machine, const char *name, double *value)
{
	int fact = *name == '#' ? machine_view__find_fact(name + 1, strlen(name + 1)) : -1;

	return fact < 0 ? -ENOENT : machine_view__fact(machine, fact, value);
}

/*
 * Returns the element of @ids that describes the CPUs of the first core PMU. perf's
 * strcmp_cpuid_str() also uses the model of these CPUs. If no element describes them, returns the
 * first element.
 */
static const struct cpuid *of_first_core(const struct sysroots *roots, const struct cpuid *ids,
					 int nr)
{
	struct pmus *pmus = pmus__new(roots);
	struct pmu *pmu = pmus ? pmus__get(pmus, 0) : NULL;
	const struct cpumap *cpus = pmu && !pmu__load(pmu) ? pmu__cpus(pmu) : NULL;
	const struct cpuid *found = ids;

	for (int i = nr - 1; cpus && i >= 0; i--)
		if (cpumap__index(cpus, ids[i].cpu) >= 0)
			found = &ids[i];
	pmus__free(pmus);
	return found;
}

bool machine_view__is_cpu(const struct machine_view *machine, const char *cpuid)
{
	struct cpuid ids[CPUID_MODELS_MAX];
	int nr = cpuid__read(machine->roots, ids, CPUID_MODELS_MAX);

	return nr && cpuid__matches(nr > 1 ? of_first_core(machine->roots, ids, nr) : ids, cpuid);
}
