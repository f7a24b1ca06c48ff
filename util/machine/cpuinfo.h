/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells of the CPUs, by the first one. */
#ifndef PSTAT_MACHINE_CPUINFO_H
#define PSTAT_MACHINE_CPUINFO_H

#include <stddef.h>

struct sysroots;

/* The value of the first line "@key : value" of /proc/cpuinfo, cut to @size. 0; -ENODATA when there is none, or -errno. */
int cpuinfo__field(const struct sysroots *roots, const char *key, char *value, size_t size);

/*
 * How often the time stamp counter of an x86 CPU counts in a second: what CPUID says, or else the kernel (the user page of
 * a perf event), or in a virtual machine /proc/cpuinfo, whose MHz are the counter's there. 0 and *@hz; -ENODATA.
 */
int cpuinfo__tsc_frequency(const struct sysroots *roots, double *hz);

#endif
