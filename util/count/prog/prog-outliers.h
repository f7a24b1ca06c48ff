/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The runs that the programs stream (bpf_skel/prog_outliers.bpf.h): their way from the kernel's buffers to the sink of the group.
 *
 *	make_maps ──► new ──► drain, again and again ──► finish, which waits for what is on its way
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

/* Of @shape, which has outliers. */
int prog_outliers__make_maps(struct prog_shape *shape);

/* All have to outlive it. NULL and nothing to do when @shape has none. */
int prog_outliers__new(const struct backend_group *group, const struct prog_shape *shape, const struct prog_fds *fds,
		       const struct prog_list *list, const struct cpumap *possible, struct prog_outliers **out);
void prog_outliers__free(struct prog_outliers *outliers);

/*
 * Makes a buffer for the CPU with the id @cpu, which came online, in place of any buffer that it had. NULL is ignored.
 * If no buffer can be made, pstat warns that runs on the CPU are lost.
 */
int prog_outliers__add_cpu(struct prog_outliers *outliers, int cpu);

/* Readable when there is something to drain; -1 for NULL. */
int prog_outliers__wake_fd(const struct prog_outliers *outliers);

/* Tells the sink of all that is there. NULL has nothing. */
int prog_outliers__drain(struct prog_outliers *outliers);

/* Each target's threshold becomes the percentile of its own runs so far, when there are enough. */
int prog_outliers__adapt(struct prog_outliers *outliers, struct prog_snapshot *snapshot);

/* When no gate is open any more: drains until nothing is on its way, and brings the sink's sums up to date: what does not come in
 * a tenth of a second is lost, which is told. */
int prog_outliers__finish(struct prog_outliers *outliers);

#endif
