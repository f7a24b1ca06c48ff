/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics from a JSON file with an array of objects, in the vendors' format for perf. */
#ifndef PSTAT_METRIC_FILE_H
#define PSTAT_METRIC_FILE_H

struct metric_table;
struct strbuf;

/*
 * Adds the metrics of @path to @table, replacing those of the same name. Reads MetricName and
 * MetricExpr, which are required, and MetricGroup, ScaleUnit, MetricThreshold, BriefDescription,
 * PublicDescription, MetricgroupNoGroup, MetricConstraint and Unit. Ignores objects without
 * MetricName, which describe events or refer to a standard metric. Names may contain any
 * characters, because some vendors' names have spaces and semicolons. All expressions are compiled
 * once, so the whole file is accepted or refused. Returns 0; -EINVAL if the file is malformed;
 * -errno if it cannot be read; or -ENOMEM. The first two errors add the reason to @why. On error,
 * @table may contain some of the metrics.
 */
int metric_file__load(const char *path, struct metric_table *table, struct strbuf *why);

#endif
