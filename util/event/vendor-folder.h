/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vendors' JSON files in a directory with the layout of the kernel's
 * tools/perf/pmu-events/arch/ARCH. mapfile.csv maps CPU models to subdirectories. A *.json file in
 * a subdirectory contains an array of events and metrics, or an object that has such an array at
 * the key "Events" (as in the files that vendors publish). Files that describe groups of metrics
 * instead are ignored. The *.json files next to mapfile.csv contain the standard events of the
 * architecture. An event in a subdirectory can refer to a standard event by its name, at the key
 * "ArchStdEvent".
 */
#ifndef PSTAT_EVENT_VENDOR_FOLDER_H
#define PSTAT_EVENT_VENDOR_FOLDER_H

struct cpuid;
struct json_t;
struct strbuf;

/* An event or metric, passed to callbacks. The pointers are valid only during the callback. */
struct vendor_object {
	const struct json_t *object;
	/* the architecture's standard event to which this object refers, or NULL */
	const struct json_t *standard;
	const char *topic; /* NULL: use "Topic" of `object` */
	int cpu;	   /* a CPU whose model has the object; -1: all CPUs */
};

typedef int (*vendor_object_fn)(const struct vendor_object *object, void *arg);

/*
 * Calls @each for all objects of the CPU models @ids. If a result of @each is not 0, stops and
 * returns it. Otherwise, returns 0; or -errno if @dir cannot be read or memory runs out. Adds a
 * line to @notes for each file that cannot be read.
 */
int vendor_folder__for_each(const char *dir, const struct cpuid *ids, int nr_ids,
			    vendor_object_fn each, void *arg, struct strbuf *notes);

#endif
