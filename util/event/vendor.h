/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events and metrics that the CPU's vendor has named, from the JSON files that vendors publish and
 * that perf is compiled with. These are either packed into one file for each architecture
 * (vendor-pack.h), or in folders as in the kernel's tree (vendor-folder.h). In a folder DIR, pstat
 * looks for the following files, in this order:
 *
 *	DIR/mapfile.csv			DIR is a folder of the kernel's tree for one architecture
 *	DIR/x86.events, arm64.events	packed files
 *	DIR/x86/mapfile.csv, arm64/...	DIR is the kernel's folder of all architectures
 *
 * The events of systems on a chip depend on a PMU's identifier. Only the packed files have them.
 *
 * Nothing is read before a name is looked up. In a packed file, looking up a name costs the
 * decompression of one block; the JSON files of a model are read completely.
 */
#ifndef PSTAT_EVENT_VENDOR_H
#define PSTAT_EVENT_VENDOR_H

#include <stdbool.h>

#include "util/event/vendor-folder.h"

struct pmu;
struct sysroots;
struct vendor;

/* Strings are the vendor's. None is NULL unless stated. */
struct vendor_event {
	char *name;   /* in lower case */
	char *pmu;    /* name of the PMUs, without a number; NULL: the core PMUs */
	char *compat; /* a regular expression that has to match the PMU's identifier, or NULL */
	char *terms;  /* in the format of a PMU's own event in sysfs */
	char *unit;
	double scale; /* 0 without */
	char *brief, *more, *topic;
	bool per_pkg, deprecated;
	int cpu; /* one of those that have the event, -1: all have it */
};

/*
 * A value for @dir of vendor__new(): the folder ../share/pstat/events, relative to the executable's
 * folder.
 */
extern const char vendor_installed[];

/* @dir NULL: there are no events. @dir and @roots must live as long. NULL without memory. */
struct vendor *vendor__new(const char *dir, const struct sysroots *roots);
void vendor__free(struct vendor *vendor);

/* The event @name (case does not matter) of @pmu, which is loaded; NULL when it has none. */
const struct vendor_event *vendor__find(struct vendor *vendor, const char *name, struct pmu *pmu);
/* All of them, by name; NULL after the last. */
const struct vendor_event *vendor__get(struct vendor *vendor, int i);

/*
 * Calls @each for all metrics of the machine's first model of CPU, and for the metrics of PMUs that
 * the machine may have. Returns 0, or -ENOMEM, at which it stops. Errors in files go to
 * vendor__notes().
 */
int vendor__for_each_metric(struct vendor *vendor, vendor_object_fn each, void *arg);
/*
 * Calls @each for the groups of these metrics that have a description. Returns the same as
 * vendor__for_each_metric().
 */
int vendor__for_each_group(struct vendor *vendor, int (*each)(const char *group, const char *text, void *arg),
			   void *arg);

/* What could not be read or understood, a line each; "" when all was well. */
const char *vendor__notes(const struct vendor *vendor);
/* The lines that were added since the last call; "" if there are none. */
const char *vendor__new_notes(struct vendor *vendor);
/*
 * Returns why the vendor's names are unknown on this machine and what to do about it, in two lines.
 * Returns NULL if names are known, or if no folder was given.
 */
const char *vendor__missing(struct vendor *vendor);

#endif
