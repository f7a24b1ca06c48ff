/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layers of address ranges that processes have mapped as code. A layer can be on top of another
 * layer. Where ranges overlap, a search finds the range in the upper layer. Several processes and
 * higher layers can share a layer: each of them holds a reference to it. In the functions below,
 * *@nr_ranges is the total number of ranges in the layers of all processes. Functions that add or
 * remove ranges update this number.
 */
#ifndef PSTAT_MACHINE_MAP_LAYER_H
#define PSTAT_MACHINE_MAP_LAYER_H

#include <stddef.h>
#include <stdint.h>

struct map_layer;
struct object;

struct mapped_range {
	uint64_t start, end;
	uint64_t offset;       /* offset of `start` in the file */
	struct object *object; /* not owned */
};

/*
 * The maximum number of ranges in one layer: about twice the kernel's default limit for one process
 * (vm.max_map_count). Further ranges are not added. A merged layer can have up to twice as many.
 */
#define MOST_RANGES (1 << 17)
/*
 * The maximum number of ranges of all processes (64 MB of memory, not counting unused room).
 * Further ranges are not added. After merges, there can be up to twice as many.
 */
#define MOST_RANGES_OF_ALL (1 << 21)

/* Takes a reference to @layer, which may be NULL. */
void map_layer__get(struct map_layer *layer);
/*
 * Releases a reference to @layer, which may be NULL. If this was the last reference, frees the
 * layer and releases its reference to the layer below.
 */
void map_layer__put(struct map_layer *layer, size_t *nr_ranges);
/*
 * Makes sure that *@layer has a single reference, so that it can be changed. If *@layer is NULL,
 * makes a new layer. If the layer has other references, replaces the caller's reference with a
 * reference to a new layer. The new layer is on top of the old one. But if the old one is the top
 * of at least MOST_LAYERS layers (map-layer.c), the new layer instead contains the merged ranges of
 * these layers. Returns 0; -ENOMEM; or -E2BIG if the merged layer would have too many ranges.
 */
int map_layer__own(struct map_layer **layer, size_t *nr_ranges);
/*
 * Adds @range to @layer, which must have a single reference. Where the new range overlaps other
 * ranges of the layer, it replaces them. Returns 0; -ENOMEM; or -E2BIG if a limit is reached.
 */
int map_layer__add(struct map_layer *layer, const struct mapped_range *range, size_t *nr_ranges);
/*
 * Merges @top and all layers below @top into a new layer, and sets *@flat to this layer. The new
 * layer is on top of @below (NULL: none), and holds a reference to @below. @top and the layers
 * below @top keep their ranges. Returns 0; -ENOMEM; or -E2BIG if there would be too many ranges.
 */
int map_layer__flatten(struct map_layer *top, struct map_layer *below, struct map_layer **flat,
		       size_t *nr_ranges);
/*
 * Finds the range at @address in @layer, which may be NULL, and in the layers below it. Returns
 * NULL if there is none.
 */
const struct mapped_range *map_layer__find(const struct map_layer *layer, uint64_t address);

#endif
