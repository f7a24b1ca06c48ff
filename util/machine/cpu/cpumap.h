/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs. A CPU is identified by its id. An index is a position in a struct cpumap. */
#ifndef PSTAT_MACHINE_CPUMAP_H
#define PSTAT_MACHINE_CPUMAP_H

#include <stdbool.h>

struct strbuf;
struct sysroots;

/*
 * The ids are sorted and unique. A map that contains only the id -1 means any CPU. It is used for
 * an event that is counted for a task, on whatever CPU the task runs.
 */
struct cpumap {
	int nr;
	int ids[];
};

/*
 * Parses the kernel's list format: "0-3,8,10-11". Returns 0; -EINVAL if @list is malformed; -ERANGE
 * if an id exceeds 65535; or -ENOMEM. On error, *@map is NULL.
 */
int cpumap__parse(const char *list, struct cpumap **map);
/* Adds to @why the reason why cpumap__parse() returned -EINVAL or -ERANGE for @list. */
void cpumap__why_not(const char *list, struct strbuf *why);

/*
 * The size in bytes of a buffer for a list. Every list of CPUs with ids below 4096 fits. The
 * longest of these lists contain two of every three CPUs ("0-1,3-4,6-7"). Lists with higher ids can
 * be too long for the buffer.
 */
#define CPU_LIST_SIZE 16384

/*
 * Reads the list in the file @path below @roots->sysfs. Returns 0; -EINVAL if the file is empty or
 * malformed; or another -errno. On error, *@map is NULL.
 */
int cpumap__read(const struct sysroots *roots, const char *path, struct cpumap **map);
/*
 * These functions read devices/system/cpu/online and devices/system/cpu/possible. They return the
 * same values as cpumap__read().
 */
int cpumap__online(const struct sysroots *roots, struct cpumap **map);
int cpumap__possible(const struct sysroots *roots, struct cpumap **map);
/* Reads the possible CPUs of this machine. Returns 0, or -errno with the reason in @why. */
int cpumap__possible_here(struct strbuf *why, struct cpumap **map);

/* Returns a map with the id -1, or NULL if memory ran out. */
struct cpumap *cpumap__any(void);
struct cpumap *cpumap__copy(const struct cpumap *map);
/* Returns a map of the CPUs that are in both @a and @b, or NULL if memory ran out. */
struct cpumap *cpumap__intersect(const struct cpumap *a, const struct cpumap *b);
/* Returns a map of all CPUs of @a and @b, or NULL if memory ran out. */
struct cpumap *cpumap__union(const struct cpumap *a, const struct cpumap *b);
/* Removes @id from the map if the map contains @id. */
void cpumap__remove(struct cpumap *map, int id);
bool cpumap__equal(const struct cpumap *a, const struct cpumap *b);
void cpumap__free(struct cpumap *map);

/* Returns the index of @id, or -1. */
int cpumap__index(const struct cpumap *map, int id);
bool cpumap__is_any(const struct cpumap *map);
/* Returns the largest id, or -1 if the map is empty. */
int cpumap__last(const struct cpumap *map);
/* Adds the map to @sb in the kernel's list format. */
void cpumap__format(const struct cpumap *map, struct strbuf *sb);

#endif
