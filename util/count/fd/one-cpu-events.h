/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens events on a CPU that came online, for a BPF program that already reads these events on
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
	/*
	 * the event's index in the BPF program; the key of the event in the program's map is row ×
	 * nr_cpus + CPU id
	 */
	int row;
	/*
	 * bits of enum left_out: the parts of the event that are not counted on the other CPUs, so
	 * that they are not counted on this CPU either
	 */
	unsigned char left_out;
};

/*
 * Opens @nr events on CPU @cpu_id, disabled. The members of a perf group must be adjacent. @events
 * and @why must outlive *@out. This function and the functions below store the reason for an error
 * in @why. Returns 0 or -errno; -ENODEV if the CPU is offline.
 */
int one_cpu_events__open(int cpu_id, const struct one_cpu_event *events, int nr,
			 struct one_cpu_events **out, struct strbuf *why);
/* Closes the fds. Events in a BPF map stay open. @one may be NULL. */
void one_cpu_events__close(struct one_cpu_events *one);

/*
 * Stores the events in the map @map_fd, in place of the CPU's old events. Sets *@put to a bit mask
 * of the rows that were replaced; rows from 64 have no bit. Returns 0 or -errno.
 */
int one_cpu_events__put(const struct one_cpu_events *one, int map_fd, int nr_cpus, uint64_t *put);
/* Adds duplicates of the events' fds to @held. */
void one_cpu_events__hold(const struct one_cpu_events *one, struct held_events *held);
int one_cpu_events__enable(struct one_cpu_events *one);

#endif
