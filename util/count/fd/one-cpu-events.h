/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of one CPU that came online, opened for a BPF program that already counts them on the other CPUs. */
#ifndef PSTAT_COUNT_ONE_CPU_EVENTS_H
#define PSTAT_COUNT_ONE_CPU_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct evsel;
struct one_cpu_events;
struct strbuf;

struct one_cpu_event {
	const struct evsel *evsel;
	int row;	/* of the BPF program: row × number of CPUs + CPU id is the event's place in its map */
	bool user_only; /* opened without the kernel's part on the other CPUs */
};

/*
 * Opens @nr events on CPU @cpu_id, all of them, disabled. Members of a group of events are next to each other. @events must outlive
 * the result. Returns 0 or -errno, and the reason in @why: -ENODEV if the CPU is offline.
 */
int one_cpu_events__open(int cpu_id, const struct one_cpu_event *events, int nr, struct one_cpu_events **out,
			 struct strbuf *why);
/* What BPF was given stays open there. NULL is fine. */
void one_cpu_events__close(struct one_cpu_events *one);

/* Puts them into the map @map_fd in place of what is there. Returns 0 or -errno, logged, and in *@put a bit for each row that it has put. */
int one_cpu_events__put(const struct one_cpu_events *one, int map_fd, int nr_cpus, uint64_t *put);
/* From here on they count. 0 or -errno, logged. */
int one_cpu_events__enable(struct one_cpu_events *one);

#endif
