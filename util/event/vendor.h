/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events and metrics that the CPU's vendor gives names to, out of the JSON files that vendors
 * publish and perf compiles in. They are either packed into a file for each architecture
 * (vendor-pack.h) or in folders as in the kernel's tree (vendor-folder.h). A folder DIR is searched
 * in this order:
 *
 *	DIR/mapfile.csv			DIR is a folder of the kernel's tree for one architecture
 *	DIR/x86.events, arm64.events	packed files
 *	DIR/x86/mapfile.csv, arm64/...	DIR is the kernel's folder of all architectures
 *
 * The events of systems on a chip, which depend on a PMU's identifier, are in the packed files
 * only.
 *
 * Nothing is read before somebody asks for a name. In a packed file a name costs the decompression
 * of one block; the JSON files of a model are read as a whole.
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
	char *pmu;    /* the PMUs' name without a number; NULL: the core PMUs */
	char *compat; /* a regular expression that the PMU's identifier has to match, or NULL */
	char *terms;  /* as a PMU's own event has them in sysfs */
	char *unit;
	double scale; /* 0 without */
	char *brief, *more, *topic;
	bool per_pkg, deprecated;
	int cpu; /* one of those that have the event, -1: all have it */
};

/* As @dir of vendor__new(): ../share/pstat/events from the executable's folder. */
extern const char vendor_installed[];

/* @dir NULL: there are no events. @dir and @roots must live as long. NULL without memory. */
struct vendor *vendor__new(const char *dir, const struct sysroots *roots);
void vendor__free(struct vendor *vendor);

/* The event @name (case does not matter) of @pmu, which is loaded; NULL when it has none. */
const struct vendor_event *vendor__find(struct vendor *vendor, const char *name, struct pmu *pmu);
/* All of them, by name; NULL after the last. */
const struct vendor_event *vendor__get(struct vendor *vendor, int i);

/*
 * Calls @each for the objects of all metrics of the machine's first model of CPU, and of its PMUs
 * that fit. Stops at the first result that is not 0 and returns it. 0 at the end, -ENOMEM.
 */
int vendor__for_each_metric(struct vendor *vendor, vendor_object_fn each, void *arg);
/* Calls @each for the groups of these metrics that have a description; results as above. */
int vendor__for_each_group(struct vendor *vendor, int (*each)(const char *group, const char *text, void *arg),
			   void *arg);

/* What could not be read or understood, a line each; "" when all was well. */
const char *vendor__notes(const struct vendor *vendor);
/*
 * Why the vendor's names are unknown on this machine and what to do about it, a line; NULL if there
 * are some, or if no folder was wanted.
 */
const char *vendor__missing(struct vendor *vendor);

#endif
