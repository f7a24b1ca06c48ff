/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the perf events of CPUs that were offline. When a CPU goes offline, BPF can still read
 * the CPU's perf events, but they never count again. pstat recognizes dead events because their
 * enabled time no longer advances.
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
 * A BPF program that reads events at each context switch, and its maps: a leader, or a follower
 * without a leader. The leader or follower owns the fds. A row is the index of an event in the
 * program.
 */
struct bperf_reader {
	int prog_fd;   /* on_switch */
	int state_fd;  /* a per-CPU map: struct bperf_state and its arrays */
	int events_fd; /* a map: row × nr_cpus + CPU id → perf event */
	uint32_t nr_events, nr_cpus;
	const struct bperf_plan *plan;
	struct held_events *held; /* receives duplicates of the fds of new events */
};

/*
 * Loads the BPF programs that check the events of @reader. @reader's fds must outlive *@repair.
 * Returns 0 and sets *@repair, or returns -errno with the reason in @why.
 */
int bperf_cpus__new(const struct bperf_reader *reader, struct bperf_cpus **repair,
		    struct strbuf *why);
/* Frees @repair, which may be NULL. */
void bperf_cpus__free(struct bperf_cpus *repair);

/*
 * Finds the rows whose perf events do not count on CPU @cpu_id, because they were never opened
 * there, or because the CPU was offline. Sets the bits of these rows in *@dead. Returns 0; -ENXIO
 * if the CPU is offline; or another -errno without a reason.
 */
int bperf_cpus__find_dead(struct bperf_cpus *repair, int cpu_id, uint64_t *dead);

/*
 * Replaces the events of @nr rows on CPU @cpu_id, which must be online. The rows keep their counts.
 * The caller holds the share lock (share_lock__take()), so that no other session replaces events at
 * the same time. Returns 0, or -errno with the reason in @why.
 */
int bperf_cpus__reopen(struct bperf_cpus *repair, int cpu_id, const struct one_cpu_event *events,
		       int nr, struct strbuf *why);

/*
 * Stores that CPU @cpu_id is offline (@away) or online. The clock events of an offline CPU do not
 * advance. They continue when the kernel starts the CPU. Returns 0, or -errno with the reason in
 * @why.
 */
int bperf_cpus__set_away(struct bperf_cpus *repair, int cpu_id, bool away, struct strbuf *why);

#endif
