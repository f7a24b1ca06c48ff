/* SPDX-License-Identifier: GPL-2.0-only */
/* Terms of a PMU and the bits that they stand for. */
#ifndef PSTAT_MACHINE_PMU_FORMAT_H
#define PSTAT_MACHINE_PMU_FORMAT_H

#include <stdint.h>

struct pmu_format;

/* "config1:0-7,32-35", more of them after a comma ("config:0-3,config1:5"). 0 or -EINVAL. */
int pmu_format__parse(const char *text, struct pmu_format *format);
/* Largest value that the format has room for. */
uint64_t pmu_format__max(const struct pmu_format *format);
/* Adds the bits of @value to @config[4]. Bits that were set stay set. */
void pmu_format__set(const struct pmu_format *format, uint64_t value, uint64_t config[4]);

#endif
