/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events and metrics that CPU vendors define. Vendors publish them in JSON files, which are also
 * compiled into perf. pstat reads either a packed file (vendor-pack.h), which contains all events
 * and metrics of one architecture, or JSON files in a directory with the layout of the kernel's
 * tools/perf/pmu-events/arch (vendor-folder.h). In the directory DIR that is passed to
 * vendor__new(), pstat looks for these files, in this order:
 *
 *	DIR/mapfile.csv			DIR is the kernel's directory for one architecture
 *	DIR/x86.events, arm64.events	packed files
 *	DIR/x86/mapfile.csv, arm64/...	DIR is the kernel's directory of all architectures
 *
 * Some events exist only on systems on a chip (SoCs) that have a PMU with a certain identifier.
 * pstat reads these events only from packed files.
 *
 * Files are opened at the first look-up. A look-up in a packed file decompresses only the blocks of
 * the file that may contain the name. Without a packed file, the first look-up reads all JSON files
 * of this machine's CPU models.
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
	/* the vendor's short and long descriptions, and the topic; each is "" if it is missing */
	char *brief, *more, *topic;
	bool per_pkg, deprecated;
	int cpu; /* a CPU that has the event; -1: all CPUs have it */
};

/*
 * Passed as @dir to vendor__new(), this pointer selects the directory ../share/pstat/events,
 * relative to the directory of the executable. Only the address matters: the text is "".
 */
extern const char vendor_installed[];

/*
 * Makes the object for the directory @dir. Does not read files. If @dir is NULL, or is "" but not
 * vendor_installed, all look-ups fail. @dir and @roots must outlive the result. Returns NULL if
 * memory ran out.
 */
struct vendor *vendor__new(const char *dir, const struct sysroots *roots);
void vendor__free(struct vendor *vendor);

/* Returns the event @name (ignoring case) of @pmu, or NULL. @pmu must be loaded (pmu__load()). */
const struct vendor_event *vendor__find(struct vendor *vendor, const char *name, struct pmu *pmu);
/* Returns event @i in alphabetical order, or NULL after the last event. */
const struct vendor_event *vendor__get(struct vendor *vendor, int i);

/*
 * Calls @each for all metrics of the machine's first CPU model. A packed file also has metrics that
 * do not depend on the CPU model, but on a PMU with a certain identifier ("Compat"). @each is
 * called for these metrics even if this machine has no such PMU. If pstat reads JSON files in a
 * directory instead, @each is also called for the events of the CPU model. Returns -ENOMEM if
 * memory ran out; otherwise 0, even if another error ended the iteration. Files and records that
 * cannot be read are listed in vendor__notes().
 */
int vendor__for_each_metric(struct vendor *vendor, vendor_object_fn each, void *arg);
/*
 * Calls @each for each group of metrics that has a description (@text) and that belongs to the
 * machine's first CPU model. pstat reads descriptions only from packed files. Returns 0 or -ENOMEM.
 */
int vendor__for_each_group(struct vendor *vendor,
			   int (*each)(const char *group, const char *text, void *arg), void *arg);

/*
 * Returns the messages so far, one per line, for example about a file or event that could not be
 * read. Returns "" if there are none.
 */
const char *vendor__notes(const struct vendor *vendor);
/*
 * Returns the lines of vendor__notes() that were added since this function was last called, or "".
 */
const char *vendor__new_notes(struct vendor *vendor);
/*
 * Returns the reason why the names of vendors' events are unknown on this machine. A second line,
 * if there is one, says what to do. Returns NULL if the names are known, if no directory was given,
 * or if the reason is in vendor__notes().
 */
const char *vendor__missing(struct vendor *vendor);

#endif
