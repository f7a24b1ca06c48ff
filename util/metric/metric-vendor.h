/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds the metrics of the CPU's vendor (util/event/vendor.h) to the table for -M. */
#ifndef PSTAT_METRIC_VENDOR_H
#define PSTAT_METRIC_VENDOR_H

struct metric_table;
struct sysroots;
struct vendor;

/*
 * Adds the metrics of this machine's model to @table. They replace metrics of the same name. Their
 * expressions are compiled when used. Invalid metrics are ignored. Returns 0 or -ENOMEM.
 */
int metric_vendor__load(struct vendor *vendor, const struct sysroots *roots, struct metric_table *table);

#endif
