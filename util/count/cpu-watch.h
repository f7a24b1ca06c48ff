/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches which CPUs are online. A perf event of a CPU that goes offline is dead: it keeps its count, and it does not count again when
 * the CPU is back. So a session has to know each CPU that was away, even if it came back before anybody looked. Three sources say so:
 *
 *	cpu-uevent.h		a CPU was switched off or on; wakes the session at once
 *	CLOCK_BOOTTIME		the system was suspended, and all CPUs but one were off meanwhile
 *	cpu/online in sysfs	the CPUs of now; all that there is where uevents do not arrive (it is then read every second)
 */
#ifndef PSTAT_COUNT_CPU_WATCH_H
#define PSTAT_COUNT_CPU_WATCH_H

#include <stdbool.h>

struct cpu_watch;
struct cpumap;
struct sysroots;

/* Returns 0 and *@watch, or -errno without logging. */
int cpu_watch__new(const struct sysroots *roots, struct cpu_watch **watch);
void cpu_watch__free(struct cpu_watch *watch);

/* An fd that is readable when cpu_watch__check() should be called. */
int cpu_watch__fd(const struct cpu_watch *watch);

/*
 * Looks again, without waiting. Returns 0 or -errno without logging. If *@changed, a CPU went or came since the last call, and
 * the two maps below are new.
 */
int cpu_watch__check(struct cpu_watch *watch, bool *changed);

/* The CPUs that are online, and those among them that were online at the last check and never went away since. */
const struct cpumap *cpu_watch__online(const struct cpu_watch *watch);
const struct cpumap *cpu_watch__stayed(const struct cpu_watch *watch);

#endif
