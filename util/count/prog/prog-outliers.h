/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes expensive individual runs (--outliers) to the sink of the group (struct session_sink). BPF
 * programs write each of these runs as a record to a buffer (bpf_skel/prog_outliers.bpf.h).
 *
 *	make_maps ──► new ──► drain, again and again ──► finish, which waits for the last records
 */
#ifndef PSTAT_COUNT_PROG_OUTLIERS_H
#define PSTAT_COUNT_PROG_OUTLIERS_H

struct backend_group;
struct cpumap;
struct prog_fds;
struct prog_list;
struct prog_outliers;
struct prog_shape;
struct prog_snapshot;

/*
 * Makes the maps of @shape that --outliers needs. Returns 0, or -errno with the reason in
 * @shape->why.
 */
int prog_outliers__make_maps(struct prog_shape *shape);

/*
 * Sets *@out to a new object, or to NULL without --outliers. The other arguments must outlive
 * *@out.
 */
int prog_outliers__new(const struct backend_group *group, const struct prog_shape *shape,
		       const struct prog_fds *fds, const struct prog_list *list,
		       const struct cpumap *possible, struct prog_outliers **out);
void prog_outliers__free(struct prog_outliers *outliers);

/*
 * Makes a buffer for a CPU that came online. @cpu is the id of this CPU. If the buffer cannot be
 * made, pstat warns that it counts outliers on this CPU as lost. Does nothing if @outliers is NULL.
 * Returns 0 (even after this warning) or -ENOMEM.
 */
int prog_outliers__add_cpu(struct prog_outliers *outliers, int cpu);

/* Returns an fd that is readable when there are records to drain, or -1 if @outliers is NULL. */
int prog_outliers__wake_fd(const struct prog_outliers *outliers);

/* Passes the runs in all available records to the sink. Does nothing if @outliers is NULL. */
int prog_outliers__drain(struct prog_outliers *outliers);

/*
 * If the threshold of --outliers is a percentile: for each target (counted BPF program), computes
 * this percentile from the target's runs so far, and makes it the target's threshold. Skips targets
 * that do not have enough runs yet. @snapshot is a buffer for the totals of a target. Does nothing
 * if @outliers is NULL.
 */
int prog_outliers__adapt(struct prog_outliers *outliers, struct prog_snapshot *snapshot);

/*
 * Call this after counting has stopped. Drains the buffers until all records that the BPF programs
 * sent have arrived. If a record does not arrive within about 0.1 s, counts its run as lost and
 * warns. Stores in group->runs->outliers how many runs were above the threshold, and how many of
 * these runs were suppressed (--outlier-rate) or lost. Does nothing if @outliers is NULL.
 */
int prog_outliers__finish(struct prog_outliers *outliers);

#endif
