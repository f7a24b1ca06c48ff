/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts counts to metrics for Prometheus:
 *
 *	measurement ── report__totals() ──► cells ── export-report.c ──► metric_page
 *	                                       │
 *	                                       ├ export-subjects.c  labels of the subjects
 *	                                       ├ export-totals.c    totals that never decrease
 *	                                       ├ metric-name.c      names and units
 *	                                       ├ export-hist.c      histograms (--hist)
 *	                                       └ export-own.c       pstat's own metrics
 *
 * A value that was not counted has no sample (metric-page.h) on the page, because 0 would be a
 * wrong count. A subject is a cgroup, thread, BPF program or scope (--scope: code between two
 * points) with counts of its own.
 */
#ifndef PSTAT_REPORT_EXPORT_EXPORT_REPORT_H
#define PSTAT_REPORT_EXPORT_EXPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct evlist;
struct export_report;
struct measurement;
struct metric_page;
struct report;
struct subject;
struct subjects;

/* Facts that the kernel provides about a BPF program. */
struct export_prog {
	char type[32]; /* "": unknown */
	char tag[17];
};

/* Owns nothing. All pointers must be valid until export_report__free(). */
struct export_config {
	const struct evlist *evlist;
	struct report *report; /* adds up the counts */
	int top;	       /* the number of subjects to show (--top); 0: all */
	const char *version;
	const char *cpu_model; /* as in cpuid.h; several models are separated by spaces */
	uint64_t start_ns;     /* when pstat started, in ns since 1970 */
	/* Finds the facts about the program @id. NULL: there are no programs. */
	void (*find_prog)(uint32_t id, struct export_prog *prog);
	/*
	 * Returns whether the subject still exists. NULL: every subject in the state SUBJECT_LIVE
	 * exists.
	 */
	bool (*exists)(const void *ctx, const struct subjects *subjects,
		       const struct subject *subject);
	const void *exists_ctx;
};

/* One of pstat's BPF programs, with the number and the time of its runs. */
struct export_bpf {
	uint32_t id;
	/* id="ID",name="NAME"; without escapes, because the names of pstat's programs need none */
	char labels[64];
	uint64_t ns, runs;
};

/* Measurements of pstat itself. */
struct export_own {
	uint64_t readings;   /* number of times that the counts were read, including this time */
	uint64_t reading_ns; /* duration of this reading */
	/* 0: pstat has no BPF programs, or their run times are not measured or cannot be read */
	int nr_bpf;
	struct export_bpf *bpf;
};

/* Returns NULL if memory ran out. */
struct export_report *export_report__new(const struct export_config *config);
void export_report__free(struct export_report *er);

/*
 * Fills @page with the counts of @m and the measurements in @own. The page is valid until the next
 * call of this function or of export_report__free(). Returns 0 or -errno.
 */
int export_report__build(struct export_report *er, const struct measurement *m,
			 const struct export_own *own, struct metric_page *page);

#endif
