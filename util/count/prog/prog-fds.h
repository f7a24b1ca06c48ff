/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf fds of -b. An event that is listed for several cgroups is opened only once, because the
 * BPF programs determine the cgroup of each run themselves.
 */
#ifndef PSTAT_COUNT_PROG_FDS_H
#define PSTAT_COUNT_PROG_FDS_H

#include "util/count/fd/event-fds.h"

struct prog_fds;
struct stat_config;

/*
 * Opens the events of @group with event_fds__open(). Returns 0 or -errno. On error, sets *@out to
 * NULL.
 */
int prog_fds__open(struct backend_group *group, struct prog_fds **out);
void prog_fds__close(struct prog_fds *fds);

/*
 * Returns the fd of the event with the index @event on the CPU with the index @cpu, or -1 if the
 * event is not open there.
 */
int prog_fds__get(const struct prog_fds *fds, int event, int cpu);
/* Returns the fd of @event on a CPU other than @cpu, or -1 if the event is open on no other CPU. */
int prog_fds__get_of_another(const struct prog_fds *fds, int event, int cpu);

/*
 * Opens events on CPUs that came online, closes events on CPUs that went offline, and calls @fn for
 * each of these CPUs (event_fds__follow_cpus()).
 */
int prog_fds__follow_cpus(struct prog_fds *fds, const struct cpumap *online, event_fds_cpu_fn fn,
			  void *ctx);
/*
 * Reads the total of the event with the index @event on the CPU with the index @cpu
 * (event_fds__read_total()).
 */
int prog_fds__read_total(const struct prog_fds *fds, int event, int cpu, struct reading *total);

/* Returns the index of the first event that is @event or the same event for another cgroup. */
int prog_fds__first_of(const struct prog_fds *fds, int event);

#endif
