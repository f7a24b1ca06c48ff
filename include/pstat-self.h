/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that counts itself: what its own threads have counted of a perf event, by a system call of some thousand instructions,
 * without perf events of its own. The counters are those that `pstat --bpf-counters` and `perf stat --bpf-counters` share on this
 * machine; where nobody has them open yet, the first who asks opens them, once per CPU, for all.
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
 * Calls return 0 or a negative errno. See pstat-self(3).
 */
#ifndef PSTAT_SELF_H
#define PSTAT_SELF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. What is added later is added at the end of the structs, and what is there stays. */
#define PSTAT_SELF_VERSION 1

/* Threads of a process that have read at least once, and have not ended. */
#define PSTAT_SELF_THREADS 4096

struct perf_event_attr; /* of <linux/perf_event.h> */
struct pstat_self;

/* What to count. What is not given is 0. */
struct pstat_self_config {
	size_t size; /* of this struct, as the program was compiled */
	const char *
		event; /* one, as `pstat stat -e` takes it: "cycles", "instructions:u", "msr/tsc/", "sched:sched_waking" */
	/*
	 * Instead of a name: its size, type, config to config3, exclude bits, precise_ip, pinned and exclusive; nothing else may be
	 * set. As perf leaves exclude_guest set, those who name the event find the same counter if it is set here.
	 */
	const struct perf_event_attr *attr;
	const char *map; /* where the shared counters are found; NULL: /sys/fs/bpf/perf_attr_map */
};

/* Since a moment before the thread's first read: what a read gives means something by the difference to another one of the same thread. */
struct pstat_self_count {
	uint64_t value;	  /* of the event */
	uint64_t enabled; /* ns that the thread ran while the event was there to be counted … */
	uint64_t running; /* … and while it had a counter: less when there are more events than counters */
};

/*
 * Counts the event for this process: for any of its threads, those to come too. *@self is for all of them, and lives until it is
 * closed. Needs CAP_SYS_ADMIN; reading needs nothing from Linux 5.19 on, and before that CAP_BPF unless
 * kernel.unprivileged_bpf_disabled is 0. Takes some 10 ms, and may open files in /proc and /sys. Where RLIMIT_NOFILE leaves no room for
 * some files for each CPU it is raised meanwhile, and put back unless another thread has set it since. -EINVAL: no such event, or a config
 * that makes no sense; -EPERM: this user may not; -EOPNOTSUPP: this kernel cannot, or this event has no running count of a thread;
 * -ENODEV: this machine does not have it; or another one.
 */
int pstat_self_open(const struct pstat_self_config *config, struct pstat_self **self);

/*
 * The count of the thread that calls. Needs no lock; after the first read of a thread signal handlers may call it too.
 * -ESTALE: @self was opened before a fork, in the parent; -EPERM: the process may not call bpf(2) any more; -ENODATA: the event is
 * not open on the CPU that the thread is on, which has come online since; -EAGAIN: too many threads; -EBUSY: others were reading on
 * this CPU each time it was tried.
 */
int pstat_self_read(struct pstat_self *self, struct pstat_self_count *count);

/* No other thread may be reading with it. NULL is fine. With the last that uses them the counters go. */
void pstat_self_close(struct pstat_self *self);

/* What the last call of this thread that failed says about it, and what to do; warnings of an open that did not; else "". */
const char *pstat_self_error(void);

/* PSTAT_SELF_VERSION of the library. */
int pstat_self_version(void);

#ifdef __cplusplus
}
#endif

#endif
