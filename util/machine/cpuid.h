/* SPDX-License-Identifier: GPL-2.0-only */
/* Which models of CPU the machine has, in the words that the vendors' event files use for them. */
#ifndef PSTAT_MACHINE_CPUID_H
#define PSTAT_MACHINE_CPUID_H

#include <stdbool.h>

struct sysroots;

#define CPUID_LEN 64
#define CPUID_MODELS_MAX 8 /* more than any machine has */

struct cpuid {
	char text[CPUID_LEN]; /* x86: VENDOR-FAMILY-MODEL-STEPPING, the last two in hexadecimal; arm64: MIDR_EL1, 0x… */
	int cpu;	      /* one that is of this model; -1: all are */
};

/* Fills at most @max of @ids, each model once; their number: 0 when neither /proc/cpuinfo nor sysfs tells. */
int cpuid__read(const struct sysroots *roots, struct cpuid *ids, int max);

/*
 * Does @pattern, the first column of a mapfile.csv or what strcmp_cpuid_str() asks in a metric, mean this model? As perf takes it
 * (strcmp_cpuid_str() in its arch/.../util/header.c): on x86 it is an extended regular expression for the whole text, without the stepping
 * unless three hyphens stand in it; on arm64 a MIDR, of which a later variant and revision are the same model.
 */
bool cpuid__matches(const struct cpuid *id, const char *pattern);

/*
 * Does @pattern, an extended regular expression, match all of @text? False if the pattern is
 * malformed or could be expensive.
 */
bool cpuid__matches_whole(const char *pattern, const char *text);

#endif
