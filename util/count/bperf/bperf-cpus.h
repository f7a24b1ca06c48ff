/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the perf events of CPUs that were offline. After a CPU has gone offline, BPF can still
 * read the CPU's perf events, but these events never count again. pstat calls these events dead,
 * and recognizes them by their enabled time, which no longer advances.
 */
#ifndef PSTAT_COUNT_BPERF_CPUS_H
#define PSTAT_COUNT_BPERF_CPUS_H

#include <stdbool.h>
#include <stdint.h>

struct bperf_cpus;
struct bperf_plan;
struct cpumap;
struct held_events;
struct one_cpu_event;
struct strbuf;

/*
 * A BPF program that reads events at each context switch, and its maps. The program is a leader
 * (bperf-leader.h), or a follower that has no leader (bperf-follower.h). The leader or follower,
 * not this struct, owns the fds. A row is the index of an event in the program.
 */
struct bperf_reader {
	int prog_fd;   /* on_switch */
	int state_fd;  /* per-CPU map: a struct bperf_state, and arrays of the events' values */
	int events_fd; /* map of perf events; the index is row × nr_cpus + CPU id */
	uint32_t nr_events, nr_cpus;
	const struct bperf_plan *plan;
	struct held_events *held; /* receives duplicates of the fds of new events */
};

/*
 * Loads the BPF program that checks the events of @reader. The fds in @reader must stay open, and
 * its pointers must stay valid, until *@repair is freed. Returns 0 and sets *@repair, or returns
 * -errno with the reason in @why.
 */
int bperf_cpus__new(const struct bperf_reader *reader, struct bperf_cpus **repair,
		    struct strbuf *why);
/* Frees @repair, which may be NULL. */
void bperf_cpus__free(struct bperf_cpus *repair);

/*
 * Finds the rows whose perf events do not count on CPU @cpu_id, because the events were never
 * opened there, or because the CPU has been offline. In *@dead, sets bit N if the event of row N
 * does not count, and clears all other bits. Returns 0; -ENXIO if the CPU is offline now; or
 * another -errno.
 */
int bperf_cpus__find_dead(struct bperf_cpus *repair, int cpu_id, uint64_t *dead);

/*
 * Opens the @nr events in @events on CPU @cpu_id. Each new perf event replaces the old perf event
 * in its row. The CPU must be online. The counts of the rows continue from their old values. The
 * caller must hold the share lock (share_lock__take()), so that no other session replaces events at
 * the same time. Returns 0, or -errno with the reason in @why.
 */
int bperf_cpus__reopen(struct bperf_cpus *repair, int cpu_id, const struct one_cpu_event *events,
		       int nr, struct strbuf *why);

/*
 * Stores in a BPF map whether CPU @cpu_id is offline (@away is true) or online. The clock events of
 * a CPU (task-clock, cpu-clock) must not count the time for which the CPU is offline. When the
 * kernel starts the CPU again, a BPF program finds the CPU in the map, and subtracts this time.
 * Returns 0, or -errno with the reason in @why.
 */
int bperf_cpus__set_away(struct bperf_cpus *repair, int cpu_id, bool away, struct strbuf *why);

#endif
