/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics of the CPU's vendor (util/event/vendor.h) for the table that -M is looked up in. */
#ifndef PSTAT_METRIC_VENDOR_H
#define PSTAT_METRIC_VENDOR_H

struct metric_table;
struct sysroots;
struct vendor;

/*
 * Adds the metrics of this machine's model to @table. They replace metrics of the same name. Their
 * expressions are compiled when they are used. Invalid metrics are left out. Returns 0 or -ENOMEM.
 */
int metric_vendor__load(struct vendor *vendor, const struct sysroots *roots, struct metric_table *table);

#endif
