/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions that only export-report.c, export-own.c and export-hist.c use. */
#ifndef PSTAT_REPORT_EXPORT_EXPORT_PRIV_H
#define PSTAT_REPORT_EXPORT_EXPORT_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/string-set.h"
#include "util/report/export/export-report.h"
#include "util/report/export/export-subjects.h"
#include "util/report/export/export-totals.h"
#include "util/report/export/metric-name.h"
#include "util/report/export/metric-page.h"

struct cells;
struct export_hist_row;

/* Times in ns. */
struct export_times {
	uint64_t enabled, running;
};

/* `name`, `full`, `help` and `labels` belong to export_report.names. */
struct export_event {
	const char *name; /* the name of the event's metric family (metric-page.h) */
	/*
	 * the event's name, with a modifier if the event is only partly counted, and with a number
	 * if an earlier event has the same name
	 */
	const char *full;
	const char *help;
	const char *labels; /* the label "event", with the value `full` */
	struct metric_unit unit;
	struct strbuf up; /* the labels of pstat_event_up */
};

struct export_report {
	struct export_config config;
	const struct cells *cells; /* the latest counts */
	struct export_subjects subjects;
	struct export_totals *totals;
	/* [event]: sums over all places (see export-totals.h); the sums never decrease */
	struct export_times *times;
	struct export_times *place_times; /* [place][event]: the latest times */
	int nr_place_times;		  /* number of places in place_times */
	struct export_event *events;	  /* [event] */
	struct string_set *names;
	bool has_names;
	const char *runs_name, *other;
	char *build_labels, *model_label;
	bool has_subjects, by_cpu;
	int nr_places; /* number of places (see export-totals.h) */
	int nr_cpus;
	char **cpu_labels;
	uint64_t lost_runs;    /* the largest number of lost runs so far */
	const char *hist_name; /* NULL without --hist */
	int nr_hist_rows;
	struct export_hist_row *hist_rows;
	uint64_t chosen_ns; /* time of the latest choice by --top, in ns since counting began */
};

/* ---- export-own.c: metrics about the events and about pstat itself ---- */

/* Returns 0 or -ENOMEM. Call export_own__free() in both cases. */
int export_own__init(struct export_report *er);
void export_own__free(struct export_report *er);
/*
 * Returns whether @name is the name of a family that export_own__add() adds, or this name with a
 * suffix such as "_total".
 */
bool export_own__has_name(const char *name);
void export_own__add(struct export_report *er, const struct measurement *m,
		     const struct export_own *own, struct metric_page *page);

/* ---- export-hist.c: --hist ---- */

/* Adds the histograms. Call this once each time the counts are read. Returns 0 or -ENOMEM. */
int export_hist__add(struct export_report *er, const struct measurement *m,
		     struct metric_page *page);
void export_hist__free(struct export_report *er);

#endif
