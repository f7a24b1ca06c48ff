/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf fds of a backend group: one for each event, CPU and thread. Shared by the backends that read them with read(2)
 * and those that hand them to BPF.
 */
#ifndef PSTAT_COUNT_EVENT_FDS_H
#define PSTAT_COUNT_EVENT_FDS_H

#include <stdbool.h>
#include <sys/types.h>

struct backend_group;
struct event_fds;
struct evsel;
struct reading;
union perf_attr;

struct event_open_how {
	bool disabled; /* group leaders start disabled; their siblings follow them */
	bool enable_on_exec;
	bool inherit;
};

/*
 * Open all events of @group that are perf events. One that the machine does not have is marked unsupported in its counts
 * (with a weightier reason under -v); a group of events is opened whole or not at all.
 * 0, or -errno after telling the user what stopped it; *@fds is then NULL.
 */
int event_fds__open(struct backend_group *group, const struct event_open_how *how, struct event_fds **fds);
void event_fds__close(struct event_fds *fds);

/* The fd, or -1 where the event is not open. All three are indexes into the group's lists. */
int event_fds__get(const struct event_fds *fds, int event, int cpu_idx, int thread);

/* Start or stop every event that is not a sibling: siblings follow. 0 or -errno, told. */
int event_fds__enable(struct event_fds *fds);
int event_fds__disable(struct event_fds *fds);

/* The command @pid is loaded: breakpoints on symbols of programs that can be loaded anywhere are moved to where they are. 0 or -errno, told. */
int event_fds__move_breakpoints(struct event_fds *fds, pid_t pid);

/* Read every fd into the group's counts. 0 or -errno, told. */
int event_fds__read(struct event_fds *fds);

/* perf_event_open(2) for one event, as the group's are opened; *@attr is left as the kernel took it. An fd or -errno. */
int event_fds__open_one(const struct evsel *evsel, union perf_attr *attr, pid_t pid, int cpu, int group_fd);

#endif
