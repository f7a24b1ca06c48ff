/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles CPUs that go offline and come back while a leader of shared counters runs. The perf
 * events of a CPU that goes offline can still be read, but never count again. A session recognizes
 * such events because their enabled time no longer advances, and replaces them.
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
 * The program that reads the events, and its maps. The program is a leader, or a follower that
 * reads its events itself. The leader or follower owns the fds.
 */
struct bperf_reader {
	int prog_fd;   /* on_switch */
	int state_fd;  /* per CPU: struct bperf_state and rows */
	int events_fd; /* fd of a map: row × nr_cpus + CPU id → perf event */
	uint32_t nr_events, nr_cpus;
	const struct bperf_plan *plan;
	struct held_events *held; /* keeps copies of the events that are opened again */
};

/*
 * Makes an object that repairs @reader, which must outlive it. Returns 0 and *@repair, or -errno
 * and the reason in @why.
 */
int bperf_cpus__new(const struct bperf_reader *reader, struct bperf_cpus **repair,
		    struct strbuf *why);
/* Frees @repair, which may be NULL. */
void bperf_cpus__free(struct bperf_cpus *repair);

/*
 * Finds the rows whose perf events do not count on CPU @cpu_id, because they were never opened
 * there or the CPU was offline. Sets a bit for each such row in *@dead. Returns 0; -ENXIO if the
 * CPU is offline; or another -errno. Logs nothing.
 */
int bperf_cpus__find_dead(struct bperf_cpus *repair, int cpu_id, uint64_t *dead);

/*
 * Replaces the events of @nr rows on CPU @cpu_id, which must be online. Keeps the counts of the old
 * events. The new events count from now on. The caller makes sure that no other session repairs
 * this CPU at the same time. Returns 0, or -errno and the reason in @why.
 */
int bperf_cpus__reopen(struct bperf_cpus *repair, int cpu_id, const struct one_cpu_event *events,
		       int nr, struct strbuf *why);

/*
 * Records that CPU @cpu_id is offline (@away) or online again. The clocks of an offline CPU stop.
 * They continue when the kernel starts the CPU again. Returns 0, or -errno and the reason in @why.
 */
int bperf_cpus__set_away(struct bperf_cpus *repair, int cpu_id, bool away, struct strbuf *why);

#endif
