/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mappings of processes, as a list of all records, which is searched from its end. Fuzzers
 * compare util/machine/symbols/mapped-objects.h with this slow search. There is one list for the
 * whole process.
 */
#ifndef PSTAT_TESTS_FUZZ_SLOW_MAPS_H
#define PSTAT_TESTS_FUZZ_SLOW_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "util/machine/symbols/mapped-objects.h"
#include "util/machine/symbols/object.h"

#define SLOW_MAX 256

struct slow_range {
	pid_t pid;
	uint64_t start, end, offset;
	char *name; /* owned; NULL: another mapping with this build ID has the name */
};

static struct slow_maps {
	struct slow_range ranges[SLOW_MAX]; /* A later mapping of a process hides earlier ones. */
	size_t nr;
	pid_t ended[SLOW_MAX];
	size_t nr_ended;
	bool full; /* There were more records than entries, so nothing is compared. */
} slow_maps;

static inline void slow_maps__clear(void)
{
	for (size_t i = 0; i < slow_maps.nr; i++)
		free(slow_maps.ranges[i].name);
	memset(&slow_maps, 0, sizeof(slow_maps));
}

static inline char *slow_maps__copy_name(const char *name)
{
	char *copy = name ? strdup(name) : NULL;

	if (name && !copy)
		abort();
	return copy;
}

/* If @pid has ended, the ID now belongs to another process, which has no mappings yet. */
static inline void slow_maps__begin(pid_t pid)
{
	size_t kept = 0, alive = 0;
	bool ended = false;

	for (size_t i = 0; i < slow_maps.nr_ended; i++) {
		if (slow_maps.ended[i] == pid)
			ended = true;
		else
			slow_maps.ended[alive++] = slow_maps.ended[i];
	}
	slow_maps.nr_ended = alive;
	for (size_t i = 0; ended && i < slow_maps.nr; i++) {
		if (slow_maps.ranges[i].pid == pid)
			free(slow_maps.ranges[i].name);
		else
			slow_maps.ranges[kept++] = slow_maps.ranges[i];
	}
	if (ended)
		slow_maps.nr = kept;
}

static inline void slow_maps__end(pid_t pid)
{
	if (slow_maps.nr_ended < SLOW_MAX)
		slow_maps.ended[slow_maps.nr_ended++] = pid;
	else
		slow_maps.full = true;
}

/* Adds a mapping. @path is as /proc shows it, or NULL if /proc shows no name. */
static inline void slow_maps__add(pid_t pid, uint64_t start, uint64_t len, uint64_t offset,
				  const char *path)
{
	static const char deleted[] = " (deleted)";
	const size_t cut = sizeof(deleted) - 1;
	bool is_memory = path && (!*path || !strcmp(path, "//anon"));
	char *name = slow_maps__copy_name(is_memory ? "[anon]" : path);
	size_t size = name ? strlen(name) : 0;

	slow_maps__begin(pid);
	slow_maps.full |= slow_maps.nr == SLOW_MAX;
	if (slow_maps.full) {
		free(name);
		return;
	}
	if (size > cut && !strcmp(name + size - cut, deleted))
		name[size - cut] = '\0';
	slow_maps.ranges[slow_maps.nr++] =
		(struct slow_range){ pid, start, start + len, offset, name };
}

/* Gives the child all mappings of the parent, followed by those that the child already has. */
static inline void slow_maps__fork(pid_t parent, pid_t child)
{
	struct slow_range before[SLOW_MAX];
	size_t nr, copies = 0;

	slow_maps__begin(child);
	nr = slow_maps.nr;
	memcpy(before, slow_maps.ranges, sizeof(before));
	for (size_t i = 0; i < nr; i++)
		copies += before[i].pid == parent;
	slow_maps.full |= nr + copies > SLOW_MAX;
	if (slow_maps.full || parent == child)
		return;
	slow_maps.nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct slow_range *copy = &slow_maps.ranges[slow_maps.nr];

		if (before[i].pid != parent)
			continue;
		*copy = before[i];
		copy->pid = child;
		copy->name = slow_maps__copy_name(before[i].name);
		slow_maps.nr++;
	}
	memcpy(&slow_maps.ranges[slow_maps.nr], before, sizeof(before[0]) * nr);
	slow_maps.nr += nr;
}

static inline const struct slow_range *slow_maps__find(pid_t pid, uint64_t address)
{
	for (size_t i = slow_maps.nr; i-- > 0;) {
		const struct slow_range *range = &slow_maps.ranges[i];

		if (range->pid == pid && address >= range->start && address < range->end)
			return range;
	}
	return NULL;
}

static inline void slow_maps__compare_at(struct mapped_objects *objects, pid_t pid,
					 uint64_t address)
{
	const struct slow_range *expected = slow_maps__find(pid, address);
	uint64_t offset = 0;
	const struct object *found = mapped_objects__by_address(objects, pid, address, &offset);

	if (!found != !expected)
		abort();
	if (found && (offset != expected->offset + (address - expected->start) ||
		      !mapped_objects__nr(objects)))
		abort();
	if (found && expected->name && strcmp(object__name(found), expected->name) != 0)
		abort();
}

/* Compares the results at both edges of each range, inside and outside the range. */
static inline void slow_maps__compare(struct mapped_objects *objects)
{
	for (size_t i = 0; !slow_maps.full && i < slow_maps.nr; i++) {
		const struct slow_range *range = &slow_maps.ranges[i];

		slow_maps__compare_at(objects, range->pid, range->start - 1);
		slow_maps__compare_at(objects, range->pid, range->start);
		slow_maps__compare_at(objects, range->pid, range->end - 1);
		slow_maps__compare_at(objects, range->pid, range->end);
	}
}

#endif
