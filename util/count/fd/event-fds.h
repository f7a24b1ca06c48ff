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
	bool disabled; /* group leaders are disabled at the start; their members follow them */
	bool enable_on_exec;
	bool inherit;
	bool in_cgroups;	/* an event with a cgroup counts only the tasks in this cgroup */
	uint64_t sample_freq;	/* samples per second, or 0 */
	uint64_t sample_period; /* counts between two samples, or 0; both 0: no samples */
	uint64_t sample_type;	/* the content of a sample: see perf_event_open(2) */
	bool needs_leaders;	/* fail if a group's leader is not supported */
	bool keeps_going;	/* treat all errors of an event as if it were not supported */
	/* the last event of each tracepoint is closed by last_close__put() */
	bool closes_late;
	uint64_t more_files; /* the number of other files for which to make room */
};

/* Returns how the native backend opens events in a session with @cfg. */
struct event_open_how event_open_how__native(const struct stat_config *cfg);
/* Sets @attr for opening @evsel. @leads: the event is the leader of its group. */
void event_open_how__fill_attr(const struct event_open_how *how, const struct evsel *evsel,
			       bool leads, union perf_attr *attr);

/*
 * Opens all perf events of @group. If the machine does not have an event, marks its counts as
 * unsupported, with a detailed reason that -v prints. A perf group is opened completely or not at
 * all. If a weak group cannot be opened, its events are opened separately. If the user may not
 * count events in the kernel (perf_event_paranoid), events without modifiers count only user space,
 * and their counts show this. On error, *@fds is NULL. This function and those below store the
 * reason for an error in @group->why.
 */
int event_fds__open(struct backend_group *group, const struct event_open_how *how,
		    struct event_fds **fds);
void event_fds__close(struct event_fds *fds);

/*
 * Returns the fd, or -1 if the event is not open there. The three numbers are indexes in the lists
 * of the group.
 */
int event_fds__get(const struct event_fds *fds, int event, int cpu_idx, int thread);
/*
 * Returns the fd of @event on any CPU other than the one with the index @cpu_idx, in the first
 * column. Returns -1 if there is none, or if the event is not counted on that CPU, because its PMU
 * does not have it.
 */
int event_fds__get_of_another(const struct event_fds *fds, int event, int cpu_idx);

/*
 * Returns the leader of @event's perf group. This is @event itself if it is in no group, or if its
 * weak group was broken up.
 */
int event_fds__leader(const struct event_fds *fds, int event);

/*
 * Enables or disables all group leaders and thereby their members. With enable_on_exec, the kernel
 * enables the events the first time.
 */
int event_fds__enable(struct event_fds *fds);
int event_fds__disable(struct event_fds *fds);
/*
 * Like event_fds__disable(), but the next call must be event_fds__close(). Disables only events
 * that are closed late.
 */
int event_fds__stop(struct event_fds *fds);

/*
 * Makes the events release their hardware counters. Call this before event_fds__close() if BPF also
 * holds the events and nobody needs them any more. Otherwise, the kernel would release the counters
 * 20 to 50 ms later, when BPF drops its references.
 */
void event_fds__give_counters_back(const struct event_fds *fds);

/*
 * Moves breakpoints on symbols to the addresses of the symbols in the command @pid, whose file has
 * been loaded. The file may be position-independent.
 */
int event_fds__move_breakpoints(struct event_fds *fds, pid_t pid);

/*
 * event_fds__follow_cpus() calls this for each CPU that changed. If @online is true, events were
 * opened on a CPU that came online, and will be enabled next if the other events are. Otherwise,
 * the events of a CPU that went offline will be closed next. An error ends
 * event_fds__follow_cpus().
 */
typedef int (*event_fds_cpu_fn)(void *ctx, int cpu_idx, bool online);

/*
 * Implements cpus_changed of struct counter_backend. Closes the fds of CPUs that are not in @online
 * and keeps their counts. Opens the missing events on the CPUs of @online, and enables them there
 * if they are enabled elsewhere. pstat warns of an event that cannot be opened on a CPU and does
 * not count it there. @fn may be NULL.
 */
int event_fds__follow_cpus(struct event_fds *fds, const struct cpumap *online, event_fds_cpu_fn fn,
			   void *ctx);

/*
 * Reads the total of @event on a CPU: the counts of the open fd and of those that were closed when
 * the CPU went offline. Returns 0; -ENODATA if the event never counted there or lost its counter;
 * or another -errno, without a reason.
 */
int event_fds__read_total(const struct event_fds *fds, int event, int cpu_idx, int thread,
			  struct reading *total);

/*
 * Reads one fd of event_fds__get(). Returns 0, -ENODATA if a pinned event lost its counter, or
 * another -errno.
 */
int event_fds__read_fd(int fd, struct reading *reading);

/* Reads the totals of all fds into the group's counts. */
int event_fds__read(struct event_fds *fds);

#endif
