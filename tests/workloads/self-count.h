/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of the programs that count themselves (self-*.c). Any error ends the program. */
#ifndef PSTAT_WORKLOADS_SELF_COUNT_H
#define PSTAT_WORKLOADS_SELF_COUNT_H

#include <inttypes.h>
#include <pthread.h>

#include <linux/perf_event.h>

#include "include/pstat-self.h"
#include "tests/workloads/spin.h"

#define MAX_THREADS 64

/*
 * Opens a handle for the event @text, a name or TYPE:CONFIG in numbers, with the shared counters of
 * @map. If this fails, prints the error and ends the program.
 */
static inline struct pstat_self *open_handle(const char *text, const char *map)
{
	struct pstat_self_config config = { .size = sizeof(config), .map = map };
	struct perf_event_attr attr = { .size = sizeof(attr), .exclude_guest = 1 };
	struct pstat_self *handle;
	unsigned long long number;
	int err;

	if (sscanf(text, "%u:%llu", &attr.type, &number) == 2) {
		attr.config = number;
		config.attr = &attr;
	} else {
		config.event = text;
	}
	err = pstat_self_open(&config, &handle);
	if (err) {
		printf("error %d\n%s\n", err, pstat_self_error());
		exit(1);
	}
	return handle;
}

static inline struct pstat_self_count read_handle(struct pstat_self *handle)
{
	struct pstat_self_count count;

	if (pstat_self_read(handle, &count)) {
		fprintf(stderr, "read: %s\n", pstat_self_error());
		exit(1);
	}
	return count;
}

/* Spins for @turns turns, and returns what @handle counted in this time. */
static inline struct pstat_self_count count_with(struct pstat_self *handle, unsigned long turns)
{
	struct pstat_self_count begin = read_handle(handle), end;

	spin(turns);
	end = read_handle(handle);
	return (struct pstat_self_count){ end.value - begin.value, end.enabled - begin.enabled,
					  end.running - begin.running };
}

static inline void print_count(struct pstat_self_count count)
{
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", count.value, count.enabled, count.running);
}

static inline void start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	if (pthread_create(thread, NULL, run, arg)) {
		perror("pthread_create");
		exit(1);
	}
}

/* Ends the program if @nr is more than @most. */
static inline void check_number(unsigned long nr, unsigned long most, const char *of_what)
{
	if (nr <= most)
		return;
	fprintf(stderr, "at most %lu %s\n", most, of_what);
	exit(2);
}

#endif
