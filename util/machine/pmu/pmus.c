// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/pmus.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/sysfs.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmu-dir.h"

struct pmus {
	const struct sysroots *roots;
	struct pmu **entries;
	int nr, nr_core;
};

static int compare(const void *a, const void *b)
{
	struct pmu *left = *(struct pmu *const *)a, *right = *(struct pmu *const *)b;
	const char *l = pmu__name(left), *r = pmu__name(right);
	size_t l_len = pmu__name_stem_len(l), r_len = pmu__name_stem_len(r);
	unsigned long long l_nr = strtoull(l + l_len, NULL, 10),
			   r_nr = strtoull(r + r_len, NULL, 10);
	int core = pmu__is_core(right) - pmu__is_core(left), order;

	if (core)
		return core;
	order = memcmp(l, r, l_len < r_len ? l_len : r_len);
	if (!order)
		order = (l_len > r_len) - (l_len < r_len);
	if (!order)
		order = (l_nr > r_nr) - (l_nr < r_nr);
	return order ?: strcmp(l, r);
}

static int fill(struct pmus *pmus, const struct sysroots *roots, const struct dir_names *names)
{
	for (int i = 0; i < names->nr; i++) {
		struct pmu *pmu = pmu__new(roots, names->names[i]);

		if (!pmu)
			return -1;
		pmus->entries[pmus->nr++] = pmu;
		pmus->nr_core += pmu__is_core(pmu);
	}
	if (!pmus->nr_core) {
		pmus->entries[pmus->nr] = pmu__new_placeholder();
		if (!pmus->entries[pmus->nr])
			return -1;
		pmus->nr++;
		pmus->nr_core = 1;
	}
	qsort(pmus->entries, (size_t)pmus->nr, sizeof(*pmus->entries), compare);
	return 0;
}

struct pmus *pmus__new(const struct sysroots *roots)
{
	struct pmus *pmus = calloc(1, sizeof(*pmus));
	struct dir_names names;

	if (!pmus)
		return NULL;
	pmus->roots = roots;
	dir_names__read(&names, roots->sysfs, "bus/event_source/devices");
	pmus->entries = calloc((size_t)names.nr + 1, sizeof(*pmus->entries));
	if (!pmus->entries || fill(pmus, roots, &names)) {
		pmus__free(pmus);
		pmus = NULL;
	}
	dir_names__free(&names);
	return pmus;
}

void pmus__free(struct pmus *pmus)
{
	if (!pmus)
		return;
	for (int i = 0; i < pmus->nr; i++)
		pmu__free(pmus->entries[i]);
	free(pmus->entries);
	free(pmus);
}

struct pmu *pmus__get(struct pmus *pmus, int i)
{
	return i < pmus->nr ? pmus->entries[i] : NULL;
}

int pmus__nr_core(const struct pmus *pmus)
{
	return pmus->nr_core;
}

/*
 * Returns whether pstat can open the event `cycles` of the PMU with the type @type for the calling
 * thread. The first attempt excludes nothing. The second attempt excludes events in the kernel,
 * because perf_event_paranoid can forbid counting them. The third attempt also excludes events in
 * guests, because the driver for Apple's CPUs may refuse to count them.
 */
static bool opens_cycles(uint32_t type)
{
	union perf_attr attr = { .attr = { .type = PERF_TYPE_HARDWARE, .size = PERF_ATTR_SIZE } };
	int fd;

	attr.attr.disabled = 1;
	attr.attr.config = PERF_COUNT_HW_CPU_CYCLES | (uint64_t)type << PMU_TYPE_SHIFT;
	fd = perf_sys__open(&attr, 0, -1, -1, 0);
	if (fd < 0) {
		attr.attr.exclude_kernel = 1;
		fd = perf_sys__open(&attr, 0, -1, -1, 0);
	}
	if (fd < 0) {
		attr.attr.exclude_guest = 1;
		fd = perf_sys__open(&attr, 0, -1, -1, 0);
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool pmus__take_types(const struct pmus *pmus)
{
	static enum { UNKNOWN, YES, NO } answer; /* the kernel's answer never changes */

	if (pmus->nr_core < 2)
		return false;
	if (pmus->roots != sysroots__host())
		return true;
	if (answer == UNKNOWN) {
		answer = YES;
		for (int i = 0; i < pmus->nr_core && answer == YES; i++)
			if (pmu__load(pmus->entries[i]) ||
			    !opens_cycles(pmu__type(pmus->entries[i])))
				answer = NO;
	}
	return answer == YES;
}

struct pmu *pmus__find(struct pmus *pmus, const char *name)
{
	for (int i = 0; i < pmus->nr; i++)
		if (!strcmp(pmu__name(pmus->entries[i]), name))
			return pmus->entries[i];
	for (int i = 0; i < pmus->nr; i++) {
		const char *second = pmu__second_name(pmus->entries[i]);

		if (second && !strcmp(second, name))
			return pmus->entries[i];
	}
	return NULL;
}

struct pmu *pmus__find_type(struct pmus *pmus, uint32_t type)
{
	for (int i = 0; i < pmus->nr; i++)
		if (!pmu__load(pmus->entries[i]) && pmu__type(pmus->entries[i]) == type)
			return pmus->entries[i];
	return NULL;
}

struct pmu *pmus__find_filter(struct pmus *pmus, const char *name)
{
	static const char *const prefixes[] = { "", "uncore_", "cpu_" };

	for (int i = 0; i < pmus->nr; i++) {
		const char *pmu = pmu__name(pmus->entries[i]);

		for (size_t j = 0; j < sizeof(prefixes) / sizeof(prefixes[0]); j++) {
			size_t len = strlen(prefixes[j]);

			if (!strncmp(pmu, prefixes[j], len) && !strcmp(pmu + len, name))
				return pmus->entries[i];
		}
	}
	return NULL;
}
