/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics from a file as vendors publish them for perf: JSON, an array of objects. */
#ifndef PSTAT_METRIC_FILE_H
#define PSTAT_METRIC_FILE_H

struct metric_table;
struct strbuf;

/*
 * Adds the metrics of @path to @table, over those of the same name. Of an object are read MetricName and MetricExpr, which it
 * must have, and MetricGroup, ScaleUnit, MetricThreshold, BriefDescription, PublicDescription, MetricgroupNoGroup,
 * MetricConstraint and Unit; objects without MetricName describe events, or refer to a
 * standard one, and are passed over. Names may have any characters: some vendors' have spaces and semicolons. All expressions are compiled once, so
 * that a file is good or refused as a whole.
 * 0; -EINVAL: something is wrong in the file; -errno when it cannot be read, -ENOMEM; and @why says what and where, but
 * for -ENOMEM. On failure @table may hold some of the metrics.
 */
int metric_file__load(const char *path, struct metric_table *table, struct strbuf *why);

#endif
