/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets a program count its own events: each thread can read its own count of a perf event. A read
 * is one system call of a few thousand instructions. The programs that use this library share the
 * counters with each other, and with `pstat --bpf-counters` and `perf stat --bpf-counters`. If the
 * counters of an event are not open yet, the first program that needs them opens one per CPU, for
 * all programs.
 *
 *	struct pstat_self_config config = { sizeof(config) };
 *	struct pstat_self_count begin, end;
 *	struct pstat_self *self;
 *
 *	config.event = "instructions";
 *	if (pstat_self_open(&config, &self))
 *		errx(1, "%s", pstat_self_error());
 *	pstat_self_read(self, &begin);
 *	work();
 *	pstat_self_read(self, &end);
 *	printf("%llu\n", (unsigned long long)(end.value - begin.value));
 *	pstat_self_close(self);
 *
 * pstat_self_open() and pstat_self_read() return 0 or a negative errno. See pstat-self(3).
 */
#ifndef PSTAT_SELF_H
#define PSTAT_SELF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header. Later versions add members only at the end of the structs. */
#define PSTAT_SELF_VERSION 1

/*
 * The maximum number of threads of a process that can count at the same time. A thread counts from
 * its first read until the thread ends.
 */
#define PSTAT_SELF_THREADS 4096

struct perf_event_attr; /* defined in <linux/perf_event.h> */
struct pstat_self;

/* The event to count. Set unused members to 0. */
struct pstat_self_config {
	size_t size; /* sizeof(struct pstat_self_config) when the program was compiled */
	/*
	 * the name of one event, as for `pstat stat -e`: "cycles", "instructions:u", "msr/tsc/",
	 * "sched:sched_waking"
	 */
	const char *event;
	/*
	 * If not NULL, the attributes of the event; `event` must then be NULL. Only the members
	 * size, type, config, config1 to config3, bp_type,
	 * exclude_{user,kernel,hv,idle,host,guest}, precise_ip, pinned and exclusive may be set.
	 * When an event is selected by its name, pstat, perf and this library set exclude_guest. To
	 * share the counter of such an event, set exclude_guest here, too.
	 */
	const struct perf_event_attr *attr;
	/* path of the pinned map of shared counters; NULL: /sys/fs/bpf/perf_attr_map */
	const char *map;
};

/*
 * The counts of a thread. Counting starts at an unspecified time before the thread's first read, so
 * only the difference between two reads of the same thread is meaningful.
 */
struct pstat_self_count {
	uint64_t value;	  /* the event's count */
	uint64_t enabled; /* the time for which the thread ran while the event was open, in ns */
	/*
	 * the part of `enabled` during which the event had a counter, in ns; can be less than
	 * `enabled` if more events are open than the CPU has counters
	 */
	uint64_t running;
};

/*
 * Opens the event for all threads of this process, including threads that start later. All threads
 * can use *@self until pstat_self_close().
 *
 * Opening needs CAP_SYS_ADMIN. On Linux 5.19 and later, reading needs no privilege; on older
 * kernels, reading needs CAP_BPF unless kernel.unprivileged_bpf_disabled is 0. Opening takes about
 * 10 ms, and may read files in /proc and /sys. If RLIMIT_NOFILE is too low for a few files per CPU,
 * this function raises the limit. Before it returns, it restores the limit, unless another thread
 * has changed the limit.
 *
 * Returns 0, or -errno:
 * - -EINVAL: there is no such event, or the config is invalid
 * - -EPERM: the user lacks a privilege
 * - -EOPNOTSUPP: this kernel does not support the necessary BPF programs, or the event has no count
 *   that a thread could read
 * - -ENODEV: this machine does not have the event
 * - another -errno: see pstat_self_error()
 */
int pstat_self_open(const struct pstat_self_config *config, struct pstat_self **self);

/*
 * Reads the count of the calling thread. A thread's first read may take locks and allocate memory.
 * Later reads do neither, and may also be made by signal handlers that run on this thread.
 *
 * Returns 0, or -errno:
 * - -ESTALE: @self was opened by the parent before a fork
 * - -EPERM: the process is no longer allowed to call bpf(2)
 * - -ENODATA: the event is not open on the current CPU, for example because the CPU came online
 *   after the event was opened
 * - -EAGAIN: PSTAT_SELF_THREADS other threads of this process already count
 * - -EBUSY: other readings of the counters on this CPU disturbed every attempt
 * - another -errno: see pstat_self_error()
 */
int pstat_self_read(struct pstat_self *self, struct pstat_self_count *count);

/*
 * Closes @self, which may be NULL. No other thread may use @self at the same time. The counters
 * stay open as long as any process uses them.
 */
void pstat_self_close(struct pstat_self *self);

/*
 * If a call has just failed in this thread, returns a text that gives the reason, and often a
 * remedy. After a successful pstat_self_open(), returns the warnings of this call, or "" if there
 * are none.
 */
const char *pstat_self_error(void);

/* Returns the PSTAT_SELF_VERSION of the library. */
int pstat_self_version(void);

#ifdef __cplusplus
}
#endif

#endif
