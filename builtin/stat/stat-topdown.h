/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups of metrics that --topdown, -T and --smi-cost use on this machine. */
#ifndef PSTAT_BUILTIN_STAT_TOPDOWN_H
#define PSTAT_BUILTIN_STAT_TOPDOWN_H

#include <stdint.h>

struct metric_table;
struct strbuf;
struct vendor;

/*
 * Adds the name of the group that --topdown uses to @group. @level is the argument of --td-level; 0
 * means 1. Intel's and Arm's groups are TopdownL1, TopdownL2 ..., AMD's are PipelineL1 and
 * PipelineL2. If there is no such group and the vendor's metrics are not installed, warns about
 * that; @vendor may be NULL. Returns 0, or the exit code after printing perf's message.
 */
int stat_topdown__find(const struct metric_table *table, uint64_t level, struct vendor *vendor,
		       struct strbuf *group);

/*
 * Returns 0 if @name, "transaction" or "smi", is a metric or a group; otherwise as
 * stat_topdown__find().
 */
int stat_metric_group__check(const struct metric_table *table, struct vendor *vendor,
			     const char *name);

#endif
