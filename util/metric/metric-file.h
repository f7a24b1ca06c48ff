/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads metrics in JSON, in the format in which vendors publish metrics for perf. */
#ifndef PSTAT_METRIC_FILE_H
#define PSTAT_METRIC_FILE_H

struct json_t;
struct metric_def;
struct metric_table;
struct strbuf;
struct sysroots;
struct vendor;

/*
 * Adds the metrics of the file @path to @table, where they replace metrics with the same name and
 * PMU. The file must contain a JSON array with an object for each metric, or an object whose member
 * Metrics or Events is such an array. A metric must have MetricName and MetricExpr. MetricGroup,
 * ScaleUnit, MetricThreshold, BriefDescription, PublicDescription, MetricgroupNoGroup,
 * MetricConstraint, DefaultMetricgroupName, DefaultShowEvents and Unit are optional. Objects
 * without MetricName are ignored: they describe events, or refer to a standard metric of the
 * architecture (ArchStdEvent in vendor-folder.h). Names may contain any characters, because some
 * vendors' metrics have names with spaces and semicolons. As a check, the function compiles the
 * expressions of all metrics in @table that come from a user's file. Returns 0; -EINVAL if the file
 * is malformed or an expression is invalid; -ENOMEM; or another -errno if the file cannot be read.
 * For all errors except -ENOMEM, adds the reason to @why. On error, @table may contain some of the
 * file's metrics.
 */
int metric_file__load(const char *path, struct metric_table *table, struct strbuf *why);

/*
 * Fills @def from @object. @standard is the metric to which @object refers (one of the
 * architecture's standard metrics), or NULL. Values that are missing from @object come from
 * @standard. The strings in @def belong to @object and @standard. Returns 0; -ENOENT if there is no
 * MetricName, usually because @object describes an event; or -EINVAL, with the reason in @why, if
 * @object is invalid. After -EINVAL, def->name may be NULL.
 */
int metric_file__read(const struct json_t *object, const struct json_t *standard,
		      struct metric_def *def, struct strbuf *why);

/*
 * Adds the vendor's metrics for the CPU model of this machine to @table. These metrics replace
 * metrics with the same name and PMU. Does not compile the expressions, and ignores invalid
 * objects. Returns 0 or -ENOMEM.
 */
int metric_file__load_vendor(struct vendor *vendor, const struct sysroots *roots,
			     struct metric_table *table);

#endif
