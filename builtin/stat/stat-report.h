/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the report of `pstat stat`. A report adds up counts, and makes rows from the sums. */
#ifndef PSTAT_BUILTIN_STAT_REPORT_H
#define PSTAT_BUILTIN_STAT_REPORT_H

struct report;
struct stat_options;
struct stat_report;

/* Returns 0, or the exit code after reporting an error. @options must outlive the report. */
int stat_report__new(const struct stat_options *options, struct stat_report **report);
void stat_report__free(struct stat_report *report);

struct report *stat_report__get(const struct stat_report *report);

#endif
