/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The imitated kernel: what perf_event_open(2) answers on a machine of tests/imitated/machines
 * (kernel.c, groups.c), and what its events count (counts.c).
 *
 * IMITATED_KERNEL names the machine's file, which imitated.py writes from the description and
 * machine.c reads. It has a line with the CPUs that are online, and a line for each PMU, in the
 * order in which the kernel registered them:
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
#define MAX_CONFIGS 64
#define MAX_FIXED 8

/* Which events the kernel's driver of a PMU accepts. */
enum kind {
	KIND_SOFTWARE, /* any task, any CPU */
	KIND_CORE,     /* any task, its own CPUs */
	KIND_UNCORE,   /* no task; the event moves to the CPU that reads its unit */
	KIND_FREE,     /* tasks and CPUs, but nothing can be excluded (msr) */
	KIND_SAMPLING, /* counts nothing without a period (ibs) */
};

/* The driver of a core PMU. */
enum driver { DRIVER_INTEL, DRIVER_AMD, DRIVER_ARM };

struct configs {
	uint64_t values[MAX_CONFIGS];
	int nr;
};

/* A counter that counts only one event. Another counter can count this event too. */
struct fixed_counter {
	uint64_t config;
	int hardware; /* the same event of PERF_TYPE_HARDWARE, or -1 */
};

struct pmu {
	char name[64];
	uint32_t type;
	enum kind kind;
	enum driver driver;  /* KIND_CORE */
	bool cpus[MAX_CPUS]; /* KIND_CORE */
	/* KIND_UNCORE: for each CPU, the CPU that reads the unit to which it belongs, or -1 */
	int moves[MAX_CPUS];
	bool stays;		/* KIND_UNCORE: the event is read on the CPU that was requested */
	struct configs configs; /* the events that exist; none: all exist */
	uint32_t hardware;	/* KIND_CORE: the events of PERF_TYPE_HARDWARE, one bit each */
	struct configs cache;	/* KIND_CORE: the events of PERF_TYPE_HW_CACHE */
	/* KIND_CORE: number of counters that can count any event; 0: no limit */
	int counters;
	struct fixed_counter fixed[MAX_FIXED];
	int nr_fixed;
	int topdown;   /* the number of topdown-* events, which need slots as their leader */
	bool extended; /* accepts the type of a PMU in the upper half of config */
};

struct machine {
	struct pmu pmus[MAX_PMUS];
	int nr_pmus;
	bool online[MAX_CPUS];
};

/* Reads the machine at the first call. Returns NULL after a message if there is none. */
const struct machine *machine__get(void);
/* Marks the CPUs of a list as the kernel writes it, for example 0-3,8. */
void machine__mark_cpus(bool *cpus, const char *list);

/* An open event. */
struct event {
	struct perf_event_attr attr;
	uint64_t config3;
	const struct pmu *pmu;
	uint64_t id;
	int fd, cpu; /* the CPU on which it counts; -1 for a task on any CPU */
	pid_t pid;   /* the counted task; -1 for all tasks of a CPU or of a cgroup */
	bool cgroup;
	struct event *leader; /* the event itself if it is a leader */
	struct event *next;   /* the next event in the group, in the order of opening */
	bool used, was_read;
	unsigned int reads; /* used only with IMITATED_HOTPLUG */
	int serial;
};

/* Returns whether this is Intel's event slots, or one of the events that divide it. */
bool event__is_slots(const struct event *event, const struct pmu *pmu);
bool event__is_topdown(const struct event *event, const struct pmu *pmu);

/*
 * Checks whether @pmu can count @event, which is not in the list yet, together with the group of
 * @leader (or NULL). Returns 0 or -EINVAL, as the driver of the PMU does.
 */
int group__fits(const struct event *event, const struct event *leader, const struct pmu *pmu);
/*
 * Returns 0 if the kernel adds @event, whose PMU is set, to the group of @leader. Otherwise returns
 * -EINVAL.
 */
int group__join(const struct event *event, const struct event *leader);

/*
 * Fills @event as the kernel would, with @leader (or NULL). Returns 0 or a negative errno. The
 * caller sets the attr, the task and the cgroup of @event before the call, and sets the fd and
 * links the group after the call.
 */
int kernel__init_event(struct event *event, struct event *leader, int cpu);

/* Fills @words with what read(2) of @event returns, and returns their number. */
int kernel__read(const struct event *event, uint64_t *words);
/* Changes @words, which read(2) of @event returns, and moves the event, as hotplug.c describes. */
void hotplug__read(struct event *event, uint64_t *words);

#endif
