/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs that go offline and come back, below a leader of shared counters. The kernel removes a CPU's perf events for good when the CPU
 * goes offline: they can still be read, but never count again. A session finds such events by their enabled time, which stands still,
 * and replaces them.
 */
#ifndef PSTAT_COUNT_BPERF_CPUS_H
#define PSTAT_COUNT_BPERF_CPUS_H

#include <stdbool.h>
#include <stdint.h>

struct bperf_cpus;
struct bperf_plan;
struct cpumap;
struct one_cpu_event;
struct strbuf;

/* What reads the events: a leader, or a follower that is its own leader. The fds and the plan belong to it. */
struct bperf_reader {
	int prog_fd;   /* on_switch */
	int state_fd;  /* per CPU: struct bperf_state and rows */
	int events_fd; /* row × nr_cpus + CPU id → perf event */
	uint32_t nr_events, nr_cpus;
	const struct bperf_plan *plan;
};

/* For @reader, which must outlive the struct. Returns 0 and *@repair, or -errno and the reason in @why. */
int bperf_cpus__new(const struct bperf_reader *reader, struct bperf_cpus **repair, struct strbuf *why);
/* NULL is fine. */
void bperf_cpus__free(struct bperf_cpus *repair);

/*
 * Finds the perf events that do not count on CPU @cpu_id: never opened there, or dead. @dead has a bit for each row. Returns 0, -ENXIO if the
 * CPU is offline, or another -errno; nothing is logged.
 */
int bperf_cpus__find_dead(struct bperf_cpus *repair, int cpu_id, uint64_t *dead);

/*
 * Opens @nr events anew on CPU @cpu_id, which is online. What the old ones counted is kept; the new ones count from here on. No other
 * session may repair the same CPU meanwhile. Returns 0 or -errno, and the reason in @why.
 */
int bperf_cpus__reopen(struct bperf_cpus *repair, int cpu_id, const struct one_cpu_event *events, int nr,
		       struct strbuf *why);

/*
 * CPU @cpu_id is offline, or online again. While it is offline its clocks stand still: they skip the time up to the moment at which the
 * kernel starts the CPU. Returns 0 or -errno, and the reason in @why.
 */
int bperf_cpus__set_away(struct bperf_cpus *repair, int cpu_id, bool away, struct strbuf *why);

#endif
