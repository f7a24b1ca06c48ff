/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vendors' JSON files as they are in the kernel's tree, in a folder with the layout of
 * tools/perf/pmu-events/arch/ARCH: mapfile.csv says which subfolder is for which model of CPU, and
 * the *.json in it hold arrays of events and metrics (or, as the vendors publish them, objects with
 * an array "Events"). Other *.json beside mapfile.csv hold events that models refer to
 * (ArchStdEvent).
 */
#ifndef PSTAT_EVENT_VENDOR_FOLDER_H
#define PSTAT_EVENT_VENDOR_FOLDER_H

struct cpuid;
struct json_t;
struct strbuf;

/* Valid during the callback only. */
struct vendor_object {
	const struct json_t *object;
	const struct json_t *standard; /* the architecture's object that it refers to, or NULL */
	const char *topic;	       /* NULL: the object says it */
	int cpu;		       /* a CPU of the model, -1: all CPUs are of it */
};

typedef int (*vendor_object_fn)(const struct vendor_object *object, void *arg);

/*
 * Calls @each for all objects of the models @ids, and stops at the first result that is not 0 and
 * returns it. 0 at the end, -ENOMEM. What cannot be read goes to @notes, a line each.
 */
int vendor_folder__for_each(const char *dir, const struct cpuid *ids, int nr_ids, vendor_object_fn each, void *arg,
			    struct strbuf *notes);

#endif
