/* SPDX-License-Identifier: GPL-2.0-only */
/* The report that the options ask for: which counts are added up into which rows. */
#ifndef PSTAT_BUILTIN_STAT_REPORT_H
#define PSTAT_BUILTIN_STAT_REPORT_H

struct report;
struct stat_options;
struct stat_report;

/* 0; else the exit code, told. @options must outlive it. */
int stat_report__new(const struct stat_options *options, struct stat_report **report);
void stat_report__free(struct stat_report *report);

struct report *stat_report__get(const struct stat_report *report);

#endif
