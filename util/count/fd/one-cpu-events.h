/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens events on a CPU that came online, for a BPF program that already reads the same events on
 * other CPUs.
 */
#ifndef PSTAT_COUNT_ONE_CPU_EVENTS_H
#define PSTAT_COUNT_ONE_CPU_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct evsel;
struct held_events;
struct one_cpu_events;
struct strbuf;

struct one_cpu_event {
	const struct evsel *evsel;
	int row; /* the event's index among the events of the BPF program */
	/*
	 * bits of enum left_out: what the event does not count on the other CPUs, and must not
	 * count on this CPU either
	 */
	unsigned char left_out;
};

/*
 * Opens @nr events on CPU @cpu_id without enabling them. The members of a perf group must be
 * adjacent in @events. @events and @why must outlive *@out. This function, one_cpu_events__put()
 * and one_cpu_events__enable() store the reason for an error in @why. Returns 0; -ENODEV if the CPU
 * is offline; or another -errno.
 */
int one_cpu_events__open(int cpu_id, const struct one_cpu_event *events, int nr,
			 struct one_cpu_events **out, struct strbuf *why);
/* Closes the fds. The kernel keeps events that are also in a BPF map. @one may be NULL. */
void one_cpu_events__close(struct one_cpu_events *one);

/*
 * Stores each event in the map @map_fd at the key row × @nr_cpus + CPU id, where it replaces the
 * CPU's old event. @nr_cpus is the largest possible CPU id + 1. Sets *@put to a bit mask of the
 * rows whose events were replaced. Rows above 63 have no bit. Returns 0 or -errno.
 */
int one_cpu_events__put(const struct one_cpu_events *one, int map_fd, int nr_cpus, uint64_t *put);
/* Adds duplicates of the events' fds to @held (held-events.h). */
void one_cpu_events__hold(const struct one_cpu_events *one, struct held_events *held);
int one_cpu_events__enable(struct one_cpu_events *one);

#endif
