/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events and metrics of CPU vendors, from the JSON files that vendors publish and that are compiled
 * into perf. These events and metrics are either packed into one file for each architecture
 * (vendor-pack.h), or in directories as in the kernel's tree (vendor-folder.h). In a directory DIR,
 * pstat looks for these files, in this order:
 *
 *	DIR/mapfile.csv			DIR is the kernel's directory for one architecture
 *	DIR/x86.events, arm64.events	packed files
 *	DIR/x86/mapfile.csv, arm64/...	DIR is the kernel's directory of all architectures
 *
 * Events of systems on a chip depend on the identifier of a PMU. Only packed files contain them.
 *
 * No file is read until a name is looked up. A look-up decompresses one block of a packed file, or
 * reads all JSON files of a model.
 */
#ifndef PSTAT_EVENT_VENDOR_H
#define PSTAT_EVENT_VENDOR_H

#include <stdbool.h>

#include "util/event/vendor-folder.h"

struct pmu;
struct sysroots;
struct vendor;

/* A string may be NULL only if its comment says so. */
struct vendor_event {
	char *name;   /* in lower case */
	char *pmu;    /* PMU name without a number; NULL: core PMUs */
	char *compat; /* regular expression that must match the PMU's identifier, or NULL */
	char *terms;  /* in the format of events in sysfs */
	char *unit;
	double scale; /* 0: no scale */
	char *brief, *more, *topic;
	bool per_pkg, deprecated;
	int cpu; /* a CPU that has the event; -1: all CPUs have it */
};

/*
 * A value for @dir of vendor__new() that selects the directory ../share/pstat/events, relative to
 * the directory of the executable.
 */
extern const char vendor_installed[];

/*
 * If @dir is NULL, there are no events. @dir and @roots must outlive the result. Returns NULL if
 * memory ran out.
 */
struct vendor *vendor__new(const char *dir, const struct sysroots *roots);
void vendor__free(struct vendor *vendor);

/* Returns the event @name (ignoring case) of @pmu, or NULL. @pmu must be loaded (pmu__load()). */
const struct vendor_event *vendor__find(struct vendor *vendor, const char *name, struct pmu *pmu);
/* Returns event @i of all events, which are sorted by name, or NULL after the last one. */
const struct vendor_event *vendor__get(struct vendor *vendor, int i);

/*
 * Calls @each for all metrics of the machine's first CPU model. If the file is packed, also calls
 * @each for the metrics that belong to a PMU and not to a CPU model ("Compat"), even if this
 * machine does not have the PMU. Returns 0, or stops and returns -ENOMEM. Adds other errors to
 * vendor__notes().
 */
int vendor__for_each_metric(struct vendor *vendor, vendor_object_fn each, void *arg);
/*
 * Calls @each for each group of metrics of the machine's first CPU model that has a description
 * (@text). Only packed files have descriptions. Returns 0 or -ENOMEM.
 */
int vendor__for_each_group(struct vendor *vendor,
			   int (*each)(const char *group, const char *text, void *arg), void *arg);

/* Returns a line for each file or event that could not be read, or "". */
const char *vendor__notes(const struct vendor *vendor);
/* Returns the lines that were added since the last call, or "". */
const char *vendor__new_notes(struct vendor *vendor);
/*
 * Returns two lines: the reason why vendors' names are unknown on this machine, and what to do.
 * Returns NULL if the names are known, or if no directory was given.
 */
const char *vendor__missing(struct vendor *vendor);

#endif
