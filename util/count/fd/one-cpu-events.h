/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens the events of one CPU that came online, for a BPF program that already counts them on the
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
	 * the row of the event in the BPF program's map: its index there is row × number of CPUs +
	 * CPU id
	 */
	int row;
	/* bits of enum left_out: the parts of the event that are not counted on the other CPUs */
	unsigned char left_out;
};

/*
 * Opens the @nr events @events on CPU @cpu_id, disabled. The members of a perf group must be
 * adjacent. @events and @why must outlive the result, which stores the reason for later errors in
 * @why, too. Returns 0 or -errno: -ENODEV if the CPU is offline.
 */
int one_cpu_events__open(int cpu_id, const struct one_cpu_event *events, int nr,
			 struct one_cpu_events **out, struct strbuf *why);
/* Closes the fds. Events that are in a BPF map stay open there. @one may be NULL. */
void one_cpu_events__close(struct one_cpu_events *one);

/*
 * Replaces the events in the map @map_fd with these. Sets a bit in *@put for each row that was
 * replaced.
 */
int one_cpu_events__put(const struct one_cpu_events *one, int map_fd, int nr_cpus, uint64_t *put);
/* Adds copies of the fds to @held. */
void one_cpu_events__hold(const struct one_cpu_events *one, struct held_events *held);
int one_cpu_events__enable(struct one_cpu_events *one);

#endif
