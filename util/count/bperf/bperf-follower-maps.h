/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets the sizes and contents of a follower's BPF maps. All functions return 0 or -errno.
 */
#ifndef PSTAT_COUNT_BPERF_FOLLOWER_MAPS_H
#define PSTAT_COUNT_BPERF_FOLLOWER_MAPS_H

struct bperf_parts;
struct bperf_plan;
struct bperf_target;

/* Call the next two functions before the BPF object is loaded. */

/*
 * Sets the sizes of the maps, and the constants of the programs, for the tasks of @target and for
 * @nr events. @plan has an element for each event.
 */
int bperf_follower__set_sizes(const struct bperf_parts *parts, const struct bperf_plan *plan,
			      int nr, const struct bperf_target *target);
/* Omits the maps that are needed only to follow a leader that another tool made. */
int bperf_follower__drop_foreign_maps(const struct bperf_parts *parts);

/*
 * Passes the ids of the threads in @target to the BPF programs. Call this function after the BPF
 * object is loaded.
 */
int bperf_follower__name_threads(const struct bperf_parts *parts,
				 const struct bperf_target *target);

#endif
