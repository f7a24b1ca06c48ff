/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of CPU it is, by what the kernel tells of the first one. */
#ifndef PSTAT_MACHINE_CPUINFO_H
#define PSTAT_MACHINE_CPUINFO_H

#include <stdbool.h>
#include <stddef.h>

struct sysroots;

/* The value of the first line "@key : value" of /proc/cpuinfo, cut to @size. 0; -ENODATA when there is none, or -errno. */
int cpuinfo__field(const struct sysroots *roots, const char *key, char *value, size_t size);

/*
 * Is it the CPU that @cpuid names, in the form of the vendors' files? On x86 that is a pattern (extended regular expression)
 * for VENDOR-FAMILY-MODEL[-STEPPING], model and stepping in hexadecimal; on arm64 a MIDR, of which the CPU's variant and
 * revision may be later.
 */
bool cpuinfo__is(const struct sysroots *roots, const char *cpuid);

/*
 * How often the time stamp counter of an x86 CPU counts in a second: what CPUID says, or else the kernel (the user page of
 * a perf event), or in a virtual machine /proc/cpuinfo, whose MHz are the counter's there. 0 and *@hz; -ENODATA.
 */
int cpuinfo__tsc_frequency(const struct sysroots *roots, double *hz);

#endif
