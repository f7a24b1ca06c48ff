// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cpu/cpuinfo.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "perf-sys.h"
#include "util/base/decimal.h"
#include "util/base/sysfs.h"

#define LINE_SIZE 8192 /* on x86, the line with the flags is long */

int cpuinfo__field(const struct sysroots *roots, const char *key, char *value, size_t size)
{
	char path[PATH_MAX], line[LINE_SIZE];
	int err = -ENODATA;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpuinfo", roots->procfs);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (err && fgets(line, sizeof(line), file)) {
		size_t len = strlen(key);
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, key, len) ||
		    line[len + strspn(line + len, " \t")] != ':')
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = '\0';
		snprintf(value, size, "%s", colon);
		err = 0;
	}
	fclose(file);
	return err;
}

/* ---- the time stamp counter ---- */

/*
 * Computes the frequency from leaf 0x15 of CPUID. This leaf contains the frequency of a crystal
 * oscillator, and, as a fraction, the factor by which the time stamp counter is faster than this
 * oscillator. Returns 0 or -ENODATA.
 */
static int ask_cpu(double *hz)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int denominator, numerator, crystal, unused;

	if (__get_cpuid(0x15, &denominator, &numerator, &crystal, &unused) && denominator &&
	    numerator && crystal) {
		*hz = (double)crystal * numerator / denominator;
		return 0;
	}
#endif
	(void)hz;
	return -ENODATA;
}

/*
 * Computes the frequency from time_mult and time_shift, with which the kernel converts time stamps
 * to ns (linux/perf_event.h). Returns 0 or -ENODATA.
 */
static int ask_kernel(double *hz)
{
	union perf_attr attr = {
		.attr = { .type = PERF_TYPE_SOFTWARE,
			  .size = PERF_ATTR_SIZE,
			  .config = PERF_COUNT_SW_DUMMY },
	};
	int fd = perf_sys__open(&attr, 0, -1, -1, 0), err = -ENODATA;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page;

	if (fd < 0)
		return -ENODATA;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return -ENODATA;
	if (page->cap_user_time && page->time_mult && page->time_shift < 64) {
		*hz = 1e9 * (double)(1ULL << page->time_shift) / page->time_mult;
		err = 0;
	}
	munmap(page, size);
	return err;
}

static int ask_hypervisor(const struct sysroots *roots, double *hz)
{
	char flags[LINE_SIZE], mhz[64];

	if (cpuinfo__field(roots, "flags", flags, sizeof(flags)) ||
	    cpuinfo__field(roots, "cpu MHz", mhz, sizeof(mhz)))
		return -ENODATA;
	*hz = 1e6 * decimal__parse(mhz, strlen(mhz));
	return strstr(flags, " hypervisor") && *hz > 0 ? 0 : -ENODATA;
}

int cpuinfo__tsc_frequency(const struct sysroots *roots, double *hz)
{
	int err = ask_cpu(hz);

	if (err)
		err = ask_kernel(hz);
	return err ? ask_hypervisor(roots, hz) : 0;
}
