/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf fds of a backend group: one for each event, CPU and thread. Some backends read them with
 * read(2), others pass them to BPF.
 */
#ifndef PSTAT_COUNT_EVENT_FDS_H
#define PSTAT_COUNT_EVENT_FDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct backend_group;
struct cpumap;
struct event_fds;
struct evsel;
struct reading;
struct stat_config;
union perf_attr;

struct event_open_how {
	/* group leaders are opened disabled, so that their members do not count either */
	bool disabled;
	bool enable_on_exec;
	bool inherit;
	bool in_cgroups;	/* an event with a cgroup counts only the tasks in the cgroup */
	uint64_t sample_freq;	/* samples per second, or 0 */
	uint64_t sample_period; /* counts between two samples, or 0; no samples if both are 0 */
	uint64_t sample_type;	/* the content of a sample: see perf_event_open(2) */
	bool needs_leaders;	/* fail if the leader of a group is not supported */
	/* treat an event as unsupported if opening it fails with any error */
	bool keeps_going;
	/* close tracepoints with last_close__put() */
	bool closes_late;
	/* the number of additional files for which the limit on open files is raised */
	uint64_t more_files;
};

/* Returns how the native backend opens events in a session with @cfg. */
struct event_open_how event_open_how__native(const struct stat_config *cfg);
/* Sets @attr for opening @evsel. @leads says whether the event is the leader of its group. */
void event_open_how__fill_attr(const struct event_open_how *how, const struct evsel *evsel,
			       bool leads, union perf_attr *attr);

/*
 * Opens all perf events of @group. If the machine does not have an event, marks its counts as
 * unsupported, with a reason that -v prints. If a member of a perf group is refused, marks all
 * members of the group as unsupported. If a weak group cannot be opened, opens its events
 * separately. If the user may not count events in the kernel (perf_event_paranoid), events without
 * modifiers count only user space, and their counts show this.
 *
 * Returns 0, or -errno with NULL in *@fds. This function and the functions below store the reason
 * for an error in @group->why.
 */
int event_fds__open(struct backend_group *group, const struct event_open_how *how,
		    struct event_fds **fds);
void event_fds__close(struct event_fds *fds);

/*
 * Returns the fd, or -1 if the event is not open there. @event, @cpu_idx and @thread are indexes in
 * the lists of the group.
 */
int event_fds__get(const struct event_fds *fds, int event, int cpu_idx, int thread);
/*
 * Returns the fd of @event in the first column on any CPU other than @cpu_idx. Returns -1 if there
 * is no such fd, or if the event has no row for CPU @cpu_idx.
 */
int event_fds__get_of_another(const struct event_fds *fds, int event, int cpu_idx);

/* Returns the leader of @event's perf group, or @event if it was opened as a single event. */
int event_fds__leader(const struct event_fds *fds, int event);

/*
 * Enable or disable all events, through their group leaders. With enable_on_exec, the first enable
 * does nothing, because the kernel enables the events at the exec. Return 0 or -errno.
 */
int event_fds__enable(struct event_fds *fds);
int event_fds__disable(struct event_fds *fds);
/*
 * Like event_fds__disable(), but the next call must be event_fds__close(). Does nothing unless
 * event_fds__close() keeps tracepoint events open (closes_late).
 */
int event_fds__stop(struct event_fds *fds);

/*
 * Makes the events release their hardware counters immediately. Called before event_fds__close() if
 * a BPF map also holds the events, and no session needs them. Otherwise, the kernel would release
 * the counters 20 to 50 ms later, when the map drops its references.
 */
void event_fds__give_counters_back(const struct event_fds *fds);

/*
 * Moves breakpoints on symbols to the addresses of the symbols in the command @pid, which has just
 * executed its file. The file may be position-independent. Returns 0 or -errno.
 */
int event_fds__move_breakpoints(struct event_fds *fds, pid_t pid);

/*
 * Called by event_fds__follow_cpus() for each CPU that went offline, before its events are closed,
 * and for each CPU that came online (@online), between opening and enabling its events. Returns 0,
 * or -errno to end event_fds__follow_cpus().
 */
typedef int (*event_fds_cpu_fn)(void *ctx, int cpu_idx, bool online);

/*
 * Implements cpus_changed of struct counter_backend. Closes the fds of CPUs that are not in @online
 * and keeps their counts. Opens the missing events on the CPUs of @online, and enables them if the
 * other events are enabled. Warns about an event that cannot be opened on a CPU. @fn may be NULL.
 */
int event_fds__follow_cpus(struct event_fds *fds, const struct cpumap *online, event_fds_cpu_fn fn,
			   void *ctx);

/*
 * Reads the total of @event on a CPU: the count of the open fd plus the counts of fds that were
 * closed when the CPU went offline. Returns 0; -ENODATA if the event was never opened there, or if
 * a pinned event lost its counter; or another -errno without a reason.
 */
int event_fds__read_total(const struct event_fds *fds, int event, int cpu_idx, int thread,
			  struct reading *total);

/*
 * Reads the fd of one event. Returns 0; -ENODATA if a pinned event lost its counter; or another
 * -errno.
 */
int event_fds__read_fd(int fd, struct reading *reading);

/* Reads the totals of all fds into the group's counts. */
int event_fds__read(struct event_fds *fds);

#endif
