/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about the CPUs from the kernel and from CPUID. */
#ifndef PSTAT_MACHINE_CPUINFO_H
#define PSTAT_MACHINE_CPUINFO_H

#include <stddef.h>

struct sysroots;

/*
 * Reads the value of the first line "@key : value" of /proc/cpuinfo, truncated to @size bytes.
 * Returns 0; -ENODATA if there is no such line; or -errno.
 */
int cpuinfo__field(const struct sysroots *roots, const char *key, char *value, size_t size);

/*
 * Reads the frequency of the time stamp counter of an x86 CPU from the first source that contains
 * the frequency: CPUID; the kernel (user page of a perf event); or, in a virtual machine, "cpu MHz"
 * in /proc/cpuinfo, which is the counter's frequency in a virtual machine. Returns 0 and sets *@hz,
 * or -ENODATA.
 */
int cpuinfo__tsc_frequency(const struct sysroots *roots, double *hz);

#endif
