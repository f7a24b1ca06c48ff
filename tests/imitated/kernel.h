/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The imitated kernel of a machine in tests/imitated/machines: what perf_event_open(2) returns
 * (kernel.c, groups.c), and what the events count (counts.c).
 *
 * The environment variable IMITATED_KERNEL contains the path of a file, which imitated.py writes
 * from the description of the machine, and which machine.c reads. The file has a line with the
 * online CPUs, and a line for each PMU, in the order in which the kernel registered the PMUs:
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

/* The kind of a PMU: which tasks, CPUs and options its kernel driver accepts. */
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

/* A counter that counts only one event. General counters can count this event, too. */
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
	/* KIND_UNCORE: [CPU]: the CPU that reads the counters of this CPU's uncore unit, or -1 */
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
/* Sets @cpus[id] for each CPU in @list, which has the kernel's format, for example 0-3,8. */
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

/*
 * event__is_slots() returns whether @event is Intel's event slots. event__is_topdown() returns
 * whether it is one of the topdown-* events, which divide the slots.
 */
bool event__is_slots(const struct event *event, const struct pmu *pmu);
bool event__is_topdown(const struct event *event, const struct pmu *pmu);

/*
 * Checks, like the driver of @pmu, whether @pmu can count @event together with the group of @leader
 * (NULL: no group). @event is not in the group yet. Returns 0 or -EINVAL.
 */
int group__fits(const struct event *event, const struct event *leader, const struct pmu *pmu);
/*
 * Checks whether the kernel would add @event to the group of @leader. The PMU of @event must be
 * set. Returns 0 or -EINVAL.
 */
int group__join(const struct event *event, const struct event *leader);

/*
 * Chooses the PMU and the CPU of @event as the kernel would. @leader is the leader of its group, or
 * NULL. Returns 0 or -errno. The caller sets the attr, the task and the cgroup of @event before the
 * call. After the call, the caller sets the fd and adds the event to the group.
 */
int kernel__init_event(struct event *event, struct event *leader, int cpu);

/* Stores in @words what read(2) of @event returns. Returns the number of words. */
int kernel__read(const struct event *event, uint64_t *words);
/* With IMITATED_HOTPLUG, changes the result of kernel__read() and moves events; see hotplug.c. */
void hotplug__read(struct event *event, uint64_t *words);

#endif
