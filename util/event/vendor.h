/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events that the CPU's vendor gives names to, out of the JSON files that vendors publish and perf compiles in. The folder has the
 * layout of the kernel's tools/perf/pmu-events/arch/ARCH: mapfile.csv says which subfolder is for which model of CPU, and the *.json
 * in it hold arrays of events (or, as the vendors have them, objects with an array "Events"). Other *.json beside mapfile.csv hold
 * events that models refer to (ArchStdEvent).
 *
 * Nothing is read before somebody asks for a name.
 */
#ifndef PSTAT_EVENT_VENDOR_H
#define PSTAT_EVENT_VENDOR_H

#include <stdbool.h>

struct pmu;
struct sysroots;
struct vendor;

/* Strings are the vendor's, never NULL but where said. */
struct vendor_event {
	char *name;  /* in lower case */
	char *pmu;   /* the PMUs' name without a number; NULL: the core PMUs */
	char *terms; /* as a PMU's own event has them in sysfs */
	char *unit;
	double scale; /* 0 without */
	char *brief, *more, *topic;
	bool per_pkg, deprecated;
	int cpu; /* one of those that have the event, -1: all have it */
};

/* @dir NULL: there are no events. It and @roots must live as long. NULL without memory. */
struct vendor *vendor__new(const char *dir, const struct sysroots *roots);
void vendor__free(struct vendor *vendor);

/* The event @name (case does not matter) of @pmu, which is loaded; NULL when it has none. */
const struct vendor_event *vendor__find(struct vendor *vendor, const char *name, struct pmu *pmu);
/* All of them, by name; NULL after the last. */
const struct vendor_event *vendor__get(struct vendor *vendor, int i);
/* What could not be read or understood, a line each; "" when all was well. */
const char *vendor__notes(const struct vendor *vendor);

#endif
