/* SPDX-License-Identifier: GPL-2.0-only */
/* What the words of metrics' expressions mean on a machine: #literals, and whether it is this CPU. */
#ifndef PSTAT_REPORT_METRIC_MACHINE_H
#define PSTAT_REPORT_METRIC_MACHINE_H

#include <stdbool.h>

struct cpumap;
struct sysroots;

/* Nothing is owned. */
struct metric_machine {
	const struct sysroots *roots;
	bool system_wide;	   /* all that runs is counted, on … */
	const struct cpumap *cpus; /* these CPUs; NULL: all */
};

/*
 * The value of #num_cpus (the highest id that is present, and one), #num_cpus_online, #num_cores, #num_dies, #num_packages,
 * #smt_on, #core_wide (all threads of each core that is counted are), #system_tsc_freq (Hz), #slots (a cycle, arm64),
 * #has_pmem; case aside. 0; -ENOENT for any other; -ENODATA when the machine does not tell; -ENOMEM.
 */
int metric_machine__literal(const struct metric_machine *machine, const char *name, double *value);

/* Is it the CPU that @cpuid names (strcmp_cpuid_str; see cpuid__matches())? Of several kinds that of the first core PMU is meant. */
bool metric_machine__is_cpu(const struct metric_machine *machine, const char *cpuid);

#endif
