/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics in JSON, in the format in which vendors publish them for perf: single objects, files, and
 * the metrics for this machine's CPU.
 */
#ifndef PSTAT_METRIC_FILE_H
#define PSTAT_METRIC_FILE_H

struct json_t;
struct metric_def;
struct metric_table;
struct strbuf;
struct sysroots;
struct vendor;

/*
 * Adds the metrics of @path to @table, replacing those with the same name. Reads MetricName and
 * MetricExpr, which are required, and MetricGroup, ScaleUnit, MetricThreshold, BriefDescription,
 * PublicDescription, MetricgroupNoGroup, MetricConstraint and Unit. Ignores objects without
 * MetricName, which describe events or refer to a standard metric. Names may contain any
 * characters, because some vendors' names have spaces and semicolons. All expressions are compiled
 * once as a check: if one is invalid, the whole file is refused. Returns 0; -EINVAL if the file is
 * malformed; -errno if it cannot be read; or -ENOMEM. The first two errors add the reason to @why.
 * On error, @table may contain some of the metrics.
 */
int metric_file__load(const char *path, struct metric_table *table, struct strbuf *why);

/*
 * Fills @def from @object. Missing values come from @standard, the architecture's metric to which
 * the object refers, or NULL. The objects own the strings in @def. Returns 0; -ENOENT if the object
 * is an event; or -EINVAL, with the reason in @why, if it is invalid. def->name is NULL if the
 * object has no name.
 */
int metric_file__read(const struct json_t *object, const struct json_t *standard,
		      struct metric_def *def, struct strbuf *why);

/*
 * Adds the vendor's metrics for the CPU model of this machine to @table. They replace metrics with
 * the same name. Their expressions are compiled when they are used. Invalid metrics are ignored.
 * Returns 0 or -ENOMEM.
 */
int metric_file__load_vendor(struct vendor *vendor, const struct sysroots *roots,
			     struct metric_table *table);

#endif
