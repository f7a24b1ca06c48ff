/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf fds of a backend group (struct backend_group): one for each event, CPU and thread. Some
 * backends read the fds with read(2), and others store them in BPF maps.
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
	/*
	 * group leaders and single events are disabled when they are opened; the members of a group
	 * do not count while its leader is disabled
	 */
	bool disabled;
	bool enable_on_exec;
	bool inherit;
	bool in_cgroups;      /* if an event has a cgroup (-G), count only the tasks in it */
	uint64_t sample_freq; /* samples per second, or 0 */
	/*
	 * the number of events from one sample to the next, or 0; if sample_freq and sample_period
	 * are both 0, no samples are taken
	 */
	uint64_t sample_period;
	uint64_t sample_type; /* the contents of a sample: see perf_event_open(2) */
	/*
	 * event_fds__open() fails if a group leader is not supported, except in groups of some
	 * metrics (needs_leader() in event-fds-open.c)
	 */
	bool needs_leaders;
	/*
	 * if opening an event fails with an error that usually ends the session, mark the event as
	 * unsupported instead
	 */
	bool keeps_going;
	/*
	 * close events of tracepoints with last_close__put(), because it takes 30 to 40 ms to close
	 * the last event of a tracepoint with close(2)
	 */
	bool closes_late;
	/* raise the limit on open files so that this number of other files can be opened, too */
	uint64_t more_files;
};

/* Returns how the native backend opens events in a session with @cfg. */
struct event_open_how event_open_how__native(const struct stat_config *cfg);
/*
 * Sets @attr to the perf_event_attr with which @evsel is opened. @leads is true if the event is the
 * leader of its perf group, or a single event.
 */
void event_open_how__fill_attr(const struct event_open_how *how, const struct evsel *evsel,
			       bool leads, union perf_attr *attr);

/*
 * Opens all perf events of @group. If the machine cannot count an event, marks the event's counts
 * as unsupported, with a reason that -v prints. If one event of a perf group is refused, marks all
 * events of the group as unsupported. If a weak group (modifier W) is too large for the PMU, opens
 * its events separately. If the user is not allowed to count in the kernel (perf_event_paranoid),
 * and an event has none of the modifiers u, k and h, opens the event for user space only, and sets
 * LEFT_OUT_KERNEL in its counts.left_out.
 *
 * Returns 0, or sets *@fds to NULL and returns -errno. This function and the functions below store
 * the reason for an error in @group->why, unless their comments say otherwise.
 */
int event_fds__open(struct backend_group *group, const struct event_open_how *how,
		    struct event_fds **fds);
void event_fds__close(struct event_fds *fds);

/*
 * Returns the fd of an event, or -1 if the event is not open for this CPU and thread. @event is an
 * index in group->evsels, @cpu_idx is an index in group->cpus, and @thread is a column of the
 * counts: the index of a subject or thread.
 */
int event_fds__get(const struct event_fds *fds, int event, int cpu_idx, int thread);
/*
 * Returns the fd that @event has on a CPU other than @cpu_idx, in the first column. Returns -1 if
 * the event is not open on any other CPU, or if its counts have no row for CPU @cpu_idx.
 */
int event_fds__get_of_another(const struct event_fds *fds, int event, int cpu_idx);

/*
 * Returns the index of the leader of @event's perf group, or @event itself if it is a single event.
 * Returns -1 for a tool event, and for an event that was marked as unsupported before
 * event_fds__open() began to open events.
 */
int event_fds__leader(const struct event_fds *fds, int event);

/*
 * Enable or disable all events, by enabling or disabling group leaders and single events. With
 * event_open_how.enable_on_exec, the first call of event_fds__enable() does nothing, because the
 * kernel enables the events at the exec. Return 0 or -errno.
 */
int event_fds__enable(struct event_fds *fds);
int event_fds__disable(struct event_fds *fds);
/*
 * Call this function instead of event_fds__disable() if event_fds__close() is called next. Disables
 * the events only if event_fds__close() will keep some of them open (last-close.h). Otherwise,
 * closing them is enough. Returns 0 or -errno.
 */
int event_fds__stop(struct event_fds *fds);

/*
 * Makes the events release their hardware counters immediately. Call this function before
 * event_fds__close() if the events are also in a BPF map and no session needs them any more.
 * Without this call, the kernel would release the counters 20 to 50 ms later, when it frees the
 * map.
 */
void event_fds__give_counters_back(const struct event_fds *fds);

/*
 * Moves breakpoints on symbols to the addresses that the symbols have after the exec of the command
 * @pid. (In a position-independent file, addresses are relative to where the file is loaded.)
 * Returns 0 or -errno.
 */
int event_fds__move_breakpoints(struct event_fds *fds, pid_t pid);

/*
 * A function that event_fds__follow_cpus() calls for each CPU that went offline or came online. If
 * the CPU went offline, @online is false, and the events of the CPU are closed after the call. If
 * it came online, @online is true, and the events of the CPU are opened before the call and enabled
 * after it. The function returns 0, or -errno to end event_fds__follow_cpus().
 */
typedef int (*event_fds_cpu_fn)(void *ctx, int cpu_idx, bool online);

/*
 * Implements cpus_changed of struct counter_backend. Closes the fds of CPUs that are not in
 * @online, except the fds of uncore events. event_fds__read_total() still includes the counts of
 * the closed fds. Opens the events on CPUs that came online, and enables them if the events on the
 * other CPUs are enabled. If an event cannot be opened on a CPU, only warns. @fn may be NULL.
 * Returns 0 or -errno.
 */
int event_fds__follow_cpus(struct event_fds *fds, const struct cpumap *online, event_fds_cpu_fn fn,
			   void *ctx);

/*
 * Reads the total of @event on a CPU: the count of the open fd plus the counts of fds that were
 * closed when the CPU went offline. Returns 0; -ENODATA if neither an open fd nor a closed one has
 * a count (a pinned event that has lost its counter has none); or another -errno. Does not store a
 * reason.
 */
int event_fds__read_total(const struct event_fds *fds, int event, int cpu_idx, int thread,
			  struct reading *total);

/*
 * Reads the count and times of an event from its fd. Returns 0; -ENODATA if a pinned event has lost
 * its counter; or another -errno. Does not store a reason.
 */
int event_fds__read_fd(int fd, struct reading *reading);

/* Reads the totals of all events into the group's counts. Returns 0 or -errno. */
int event_fds__read(struct event_fds *fds);

#endif
