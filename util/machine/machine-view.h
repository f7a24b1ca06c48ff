/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about the machine and the counted CPUs, such as the number of online CPUs. */
#ifndef PSTAT_MACHINE_MACHINE_VIEW_H
#define PSTAT_MACHINE_MACHINE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

struct cpumap;
struct sysroots;

/* The struct does not own the objects to which its members point. */
struct machine_view {
	const struct sysroots *roots;
	bool system_wide;	   /* all tasks on `cpus` are counted */
	const struct cpumap *cpus; /* NULL: all CPUs */
};

/*
 * A fact is a number that describes the machine or what pstat counts, and that does not come from a
 * counter. Metrics use facts as literals, such as #num_cpus, and the PMU "tool" offers facts as
 * events:
 *
 *	num_cpus		highest id of a present CPU, plus one
 *	num_cpus_online		number of online CPUs
 *	num_cores, num_dies, num_packages
 *				number of cores, dies or packages with an online CPU
 *	smt_on			1 if cores run several hardware threads at once
 *	core_wide		1 if all hardware threads of each counted core are counted
 *	target_cpu		1 if CPUs are counted, not tasks
 *	system_tsc_freq		frequency of the time stamp counter in Hz (x86)
 *	slots			number of operations that the CPU can issue in a cycle (arm64)
 *	has_pmem		1 if the firmware describes persistent memory
 */

/*
 * Returns the index of the fact whose name is the first @len bytes of @name (in upper or lower
 * case), or -1 if there is no such fact.
 */
int machine_view__find_fact(const char *name, size_t len);
/* Returns the name of the fact with the index @fact, or NULL after the last fact. */
const char *machine_view__fact_name(int fact);
/* Returns a description of @fact. */
const char *machine_view__fact_help(int fact);
/* Returns whether the PMU "tool" offers @fact as an event on this architecture. */
bool machine_view__fact_is_event(int fact);
/*
 * Stores the value of @fact in *@value. Returns 0; -ENODATA if the machine does not provide the
 * fact; or -ENOMEM.
 */
int machine_view__fact(const struct machine_view *machine, int fact, double *value);

/*
 * Stores the value of the literal @name ('#' and the name of a fact) in *@value. Returns -ENOENT if
 * @name is not such a literal; otherwise, the return value is that of machine_view__fact().
 */
int machine_view__literal(const struct machine_view *machine, const char *name, double *value);

/*
 * Returns whether the pattern @cpuid matches the machine's CPU (see cpuid__matches()). Metrics call
 * this function under the name strcmp_cpuid_str(). If there are several kinds of core, uses a CPU
 * of the first core PMU (pmus.h).
 */
bool machine_view__is_cpu(const struct machine_view *machine, const char *cpuid);

#endif
