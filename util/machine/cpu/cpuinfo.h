/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads facts about the CPUs from the kernel or with the instruction CPUID. */
#ifndef PSTAT_MACHINE_CPUINFO_H
#define PSTAT_MACHINE_CPUINFO_H

#include <stddef.h>

struct sysroots;

/*
 * Sets @value to the value in the first line of /proc/cpuinfo that has the form "@key : value".
 * Truncates the value so that it fits into @size bytes with its NUL byte. Returns 0; -ENODATA if
 * there is no such line; or another -errno.
 */
int cpuinfo__field(const struct sysroots *roots, const char *key, char *value, size_t size);

/*
 * Reads the frequency of the time stamp counter of an x86 CPU. Tries three sources in this order:
 * the instruction CPUID; the user page of a perf event; and, only in a virtual machine, "cpu MHz"
 * in /proc/cpuinfo. Returns 0 and sets *@hz, or -ENODATA if no source contains the frequency.
 */
int cpuinfo__tsc_frequency(const struct sysroots *roots, double *hz);

#endif
