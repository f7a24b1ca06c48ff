/* SPDX-License-Identifier: GPL-2.0-only */
/* Identifies the models of the machine's CPUs in the form that the vendors' event files use. */
#ifndef PSTAT_MACHINE_CPUID_H
#define PSTAT_MACHINE_CPUID_H

#include <stdbool.h>

struct sysroots;

#define CPUID_LEN 64
#define CPUID_MODELS_MAX 8 /* more than any machine has */

struct cpuid {
	/* x86: VENDOR-FAMILY-MODEL-STEPPING, the last two in hexadecimal; arm64: MIDR_EL1 (0x…) */
	char text[CPUID_LEN];
	int cpu; /* a CPU of this model; -1: all CPUs are of this model */
};

/*
 * Fills in at most @max elements of @ids, one for each model. Returns the number of these elements,
 * or 0 if neither /proc/cpuinfo nor sysfs identifies the CPU.
 */
int cpuid__read(const struct sysroots *roots, struct cpuid *ids, int max);

/*
 * Returns whether @pattern matches the model. The pattern comes from the first column of a
 * mapfile.csv, or from a call of strcmp_cpuid_str() in a metric. The rules are those of perf's C
 * function strcmp_cpuid_str() (arch/.../util/header.c). On x86, the pattern is an extended regular
 * expression. If it has three hyphens, it must match all of id->text; otherwise, it must match all
 * of VENDOR-FAMILY-MODEL, the part before the stepping. On arm64, the pattern is a MIDR, and also
 * matches later variants and revisions of the same model.
 */
bool cpuid__matches(const struct cpuid *id, const char *pattern);

/*
 * Returns whether @pattern, an extended regular expression, matches all of @text. Returns false if
 * the pattern is malformed or could be expensive to match.
 */
bool cpuid__matches_whole(const char *pattern, const char *text);

#endif
