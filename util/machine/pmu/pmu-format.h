/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The format of a PMU's term: the bits that the term sets in config, config1, config2 and config3
 * of struct perf_event_attr.
 */
#ifndef PSTAT_MACHINE_PMU_FORMAT_H
#define PSTAT_MACHINE_PMU_FORMAT_H

#include <stdint.h>

struct pmu_format;

/*
 * Parses a format such as "config1:0-7,32-35", or "config:0-3,config1:5" for bits of two members.
 * Returns 0 or -EINVAL.
 */
int pmu_format__parse(const char *text, struct pmu_format *format);
/* Returns the largest value that fits into the format. */
uint64_t pmu_format__max(const struct pmu_format *format);
/* ORs @value into the bits of @config that the format describes. */
void pmu_format__set(const struct pmu_format *format, uint64_t value, uint64_t config[4]);

#endif
