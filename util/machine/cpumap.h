/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs. What is held is always CPU ids; a place in the list is called an index and means nothing elsewhere. */
#ifndef PSTAT_MACHINE_CPUMAP_H
#define PSTAT_MACHINE_CPUMAP_H

#include <stdbool.h>

struct strbuf;
struct sysroots;

/* Sorted, each id once. `ids` has `nr` entries; the id -1, alone, stands for "whichever CPU a task runs on". */
struct cpumap {
	int nr;
	int ids[];
};

/* The kernel's list form: "0-3,8,10-11". 0; -EINVAL, -ERANGE (an id over 65535) or -ENOMEM, and *@map is NULL. */
int cpumap__parse(const char *list, struct cpumap **map);
/* Adds in words what is wrong with a @list that cpumap__parse() takes for -EINVAL or -ERANGE. */
void cpumap__why_not(const char *list, struct strbuf *why);

/* Text of a list: every second of 4096 CPUs. The kernel writes a page, which may be of 64 KiB. */
#define CPU_LIST_SIZE 16384

/* From a file below @roots->sysfs; of one that is empty -EINVAL. 0 or -errno, and *@map is NULL. */
int cpumap__read(const struct sysroots *roots, const char *path, struct cpumap **map);
/* From devices/system/cpu/{online,possible}. 0 or -errno. */
int cpumap__online(const struct sysroots *roots, struct cpumap **map);
int cpumap__possible(const struct sysroots *roots, struct cpumap **map);

/* The map of id -1. NULL without memory. */
struct cpumap *cpumap__any(void);
struct cpumap *cpumap__copy(const struct cpumap *map);
/* Ids in both. NULL without memory; an empty map is a map. */
struct cpumap *cpumap__intersect(const struct cpumap *a, const struct cpumap *b);
/* Returns the CPUs that are in @a, @b or both. NULL if there is no memory. */
struct cpumap *cpumap__union(const struct cpumap *a, const struct cpumap *b);
/* Removes @id from the map. Does nothing if it is not there. */
void cpumap__remove(struct cpumap *map, int id);
bool cpumap__equal(const struct cpumap *a, const struct cpumap *b);
void cpumap__free(struct cpumap *map);

/* Index of @id, or -1. */
int cpumap__index(const struct cpumap *map, int id);
bool cpumap__is_any(const struct cpumap *map);
/* The largest id, or -1 for an empty map. */
int cpumap__last(const struct cpumap *map);
/* Adds the list form. */
void cpumap__format(const struct cpumap *map, struct strbuf *sb);

#endif
