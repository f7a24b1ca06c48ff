/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The imitated kernel: what perf_event_open(2) answers on a machine of tests/imitated/machines, and
 * what its events count.
 *
 * IMITATED_KERNEL names the machine's file, which imitated.py writes from the description. It has a
 * line with the CPUs that are online, and a line for each PMU:
 *
 *	cpus LIST
 *	pmu NAME type=N kind=KIND cpus=LIST moves=CPU,… hardware=LIST cache=HEX,… counters=N …
 */
#ifndef PSTAT_TESTS_IMITATED_KERNEL_H
#define PSTAT_TESTS_IMITATED_KERNEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_CPUS 1024
#define MAX_PMUS 128
#define MAX_CACHE 64

/* Which events the kernel's driver of a PMU accepts. */
enum kind {
	KIND_SOFTWARE, /* any task, any CPU */
	KIND_CORE,     /* any task, its own CPUs */
	KIND_UNCORE,   /* no task; the event moves to the CPU that reads its unit */
	KIND_FREE,     /* tasks and CPUs, but nothing can be excluded (msr) */
	KIND_SAMPLING, /* counts nothing without a period (ibs) */
};

struct pmu {
	char name[64];
	uint32_t type;
	enum kind kind;
	bool cpus[MAX_CPUS];	   /* KIND_CORE */
	int moves[MAX_CPUS];	   /* KIND_UNCORE: by CPU */
	uint32_t hardware;	   /* KIND_CORE: the events of PERF_TYPE_HARDWARE, a bit each */
	uint64_t cache[MAX_CACHE]; /* KIND_CORE: those of PERF_TYPE_HW_CACHE */
	int nr_cache;
	int counters;  /* KIND_CORE: the number of events that fit in a group */
	bool slots;    /* topdown-* is read with slots only */
	bool extended; /* takes a PMU's type in the upper half of config */
	bool arm;
};

/* An open event. */
struct event {
	struct perf_event_attr attr;
	uint64_t config3;
	const struct pmu *pmu;
	uint64_t id;
	int fd, cpu; /* the CPU that counts; -1 for a task on any */
	pid_t pid;
	struct event *leader; /* itself when it leads */
	struct event *next;   /* of its group, in the order of opening */
	bool used, was_read;
	int serial;
};

/* Reads the machine once. Returns false after a message if there is none. */
bool kernel__load(const char *path);

/*
 * Fills @event as the kernel would, with @leader (or NULL). Returns 0 or a negative errno. The
 * caller sets @event->fd and links the group.
 */
int kernel__init_event(struct event *event, struct event *leader, int cpu);

/* What read(2) of @event returns: the number of 64-bit words in @words. */
int kernel__read(const struct event *event, uint64_t *words);

#endif
