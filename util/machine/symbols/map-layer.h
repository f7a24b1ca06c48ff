/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layers of mapped ranges. The ranges of a layer hide those of the layers below it. A layer belongs
 * to all processes that have a reference to it, and to the layers above it. Functions that change
 * the number of ranges of all layers keep it up to date in *@nr_ranges.
 */
#ifndef PSTAT_MACHINE_MAP_LAYER_H
#define PSTAT_MACHINE_MAP_LAYER_H

#include <stddef.h>
#include <stdint.h>

struct map_layer;
struct object;

struct mapped_range {
	uint64_t start, end;
	uint64_t offset;       /* of `start`, in the file */
	struct object *object; /* not owned */
};

/*
 * The maximum number of ranges of one process: twice what the kernel permits at one time
 * (vm.max_map_count). Beyond it, no range is added.
 */
#define MOST_RANGES (1 << 17)
/* The maximum number of ranges of all processes: 80 MB. Beyond it, no range is added. */
#define MOST_RANGES_OF_ALL (1 << 21)

/* Takes a reference to @layer, which may be NULL. */
void map_layer__get(struct map_layer *layer);
/* Drops a reference. The last one frees the layer, and drops its reference to the layer below. */
void map_layer__put(struct map_layer *layer, size_t *nr_ranges);
/*
 * Makes *@layer, which may be NULL, a layer with one reference, so that it can be changed: if
 * others use it, the caller's reference moves to a new layer on top of it. Returns 0, -ENOMEM or
 * -E2BIG.
 */
int map_layer__own(struct map_layer **layer, size_t *nr_ranges);
/*
 * Adds @range, which replaces any ranges that it overlaps, to a layer with one reference. Returns
 * 0; -ENOMEM; or -E2BIG beyond one of the limits.
 */
int map_layer__add(struct map_layer *layer, const struct mapped_range *range, size_t *nr_ranges);
/*
 * Sets *@flat to a layer with the ranges of @top and of all layers below it. The new layer is on
 * top of @below, to which it holds a reference. @top is unchanged.
 */
int map_layer__flatten(struct map_layer *top, struct map_layer *below, struct map_layer **flat,
		       size_t *nr_ranges);
/* Finds the range at @address in @layer, which may be NULL, and the layers below it, or NULL. */
const struct mapped_range *map_layer__find(const struct map_layer *layer, uint64_t address);

#endif
