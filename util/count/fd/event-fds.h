/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf fds of a backend group: one for each event, CPU and thread. Shared by the backends that read them with read(2)
 * and those that hand them to BPF.
 */
#ifndef PSTAT_COUNT_EVENT_FDS_H
#define PSTAT_COUNT_EVENT_FDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct backend_group;
struct cpumap;
struct event_fds;
struct reading;

struct event_open_how {
	bool disabled; /* group leaders start disabled; their siblings follow them */
	bool enable_on_exec;
	bool inherit;
	bool in_cgroups;	/* an event that has a cgroup counts only the tasks in it */
	uint64_t sample_freq;	/* samples a second, or … */
	uint64_t sample_period; /* a sample each so many counts; both 0: none */
	uint64_t sample_type;	/* linux/perf_event.h: what the kernel gathers for a sample */
	bool needs_leaders;	/* fail if a group's leader is not supported */
	bool closes_late;	/* the last event of each tracepoint goes to last_close__put() */
	uint64_t more_files;	/* that will be opened besides: there is to be room for them too */
};

/*
 * Open all events of @group that are perf events. One that the machine does not have is marked unsupported in its counts
 * (with a weightier reason under -v); a group of events is opened whole or not at all, or, when it is weak, event by
 * event then. Where the user may not count the kernel (perf_event_paranoid), events without modifiers count user space only,
 * and their counts say so.
 * If it fails, *@fds is NULL. This function and those below store the reason of an error in @group->why.
 */
int event_fds__open(struct backend_group *group, const struct event_open_how *how, struct event_fds **fds);
void event_fds__close(struct event_fds *fds);

/* The fd, or -1 where the event is not open. All three are indexes into the group's lists. */
int event_fds__get(const struct event_fds *fds, int event, int cpu_idx, int thread);

/* The event that @event was opened under: itself when alone, which a member of a weak group may have become. */
int event_fds__leader(const struct event_fds *fds, int event);

/*
 * Start or stop every event that is not a sibling: siblings follow. With enable_on_exec the first start is left to the kernel.
 */
int event_fds__enable(struct event_fds *fds);
int event_fds__disable(struct event_fds *fds);
/*
 * Call this instead of event_fds__disable() if event_fds__close() follows directly. It disables only the events that
 * are closed late.
 */
int event_fds__stop(struct event_fds *fds);

/*
 * Releases the hardware counters before event_fds__close(). Use this if BPF holds references to the events and nobody
 * needs them any more. Without it, the kernel would release the counters 20 to 50 ms later, when BPF drops the last
 * references.
 */
void event_fds__give_counters_back(const struct event_fds *fds);

/*
 * The command @pid is loaded: breakpoints on symbols of programs that can be loaded anywhere are moved to where they are.
 */
int event_fds__move_breakpoints(struct event_fds *fds, pid_t pid);

/*
 * event_fds__follow_cpus() calls this for each CPU that changed. If @online, events were opened on a CPU that came
 * online, and are about to be enabled if the others are. Otherwise, the events of a CPU that went offline are about to
 * be closed. An error ends event_fds__follow_cpus().
 */
typedef int (*event_fds_cpu_fn)(void *ctx, int cpu_idx, bool online);

/*
 * Implements cpus_changed of struct counter_backend. Closes the fds of CPUs that are not in @online and keeps their
 * counts. Opens the missing events on the CPUs of @online, and enables them there if they are enabled elsewhere. pstat
 * warns of an event that cannot be opened on a CPU and does not count it there. @fn may be NULL.
 */
int event_fds__follow_cpus(struct event_fds *fds, const struct cpumap *online, event_fds_cpu_fn fn, void *ctx);

/*
 * Reads the total of @event on a CPU: the counts of the open fd and of those that were closed when the CPU went
 * offline. Returns 0; -ENODATA if the event never counted there or lost its counter; or another -errno, without a reason.
 */
int event_fds__read_total(const struct event_fds *fds, int event, int cpu_idx, int thread, struct reading *total);

/* One fd of event_fds__get(). Returns 0 or -errno without a reason; -ENODATA for a pinned event that lost its counter. */
int event_fds__read_fd(int fd, struct reading *reading);

/* Reads the totals of all fds into the group's counts. */
int event_fds__read(struct event_fds *fds);

#endif
