/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches which CPUs are online. When a CPU goes offline, the perf events on this CPU keep their
 * counts but never count again, even after the CPU is back. So the session has to open new events
 * for each CPU that was offline, even if the CPU came back before the session noticed. There are
 * three sources of information:
 *
 * cpu-uevent.h          uevents: a CPU was switched off or on; uevents wake the session at once
 * CLOCK_BOOTTIME        the system was suspended, with all CPUs but one offline
 * cpu/online in sysfs   the CPUs that are online now; read at each check (every second if
 *                       uevents do not reach this process)
 */
#ifndef PSTAT_COUNT_CPU_WATCH_H
#define PSTAT_COUNT_CPU_WATCH_H

#include <stdbool.h>

struct cpu_watch;
struct cpumap;
struct strbuf;
struct sysroots;

/*
 * Starts watching. Returns 0 and sets *@watch, or returns -errno. On error, stores the reason in
 * @why, unless the file cpu/online could not be read.
 */
int cpu_watch__new(const struct sysroots *roots, struct strbuf *why, struct cpu_watch **watch);
void cpu_watch__free(struct cpu_watch *watch);

/* Returns an fd that is readable when cpu_watch__check() should be called. */
int cpu_watch__fd(const struct cpu_watch *watch);

/*
 * Checks, without waiting, which CPUs are online. Sets *@changed to whether a CPU has gone offline
 * or come online since the previous check. Replaces the maps that cpu_watch__online() and
 * cpu_watch__stayed() return. Returns 0 or -errno.
 */
int cpu_watch__check(struct cpu_watch *watch, bool *changed);

/*
 * cpu_watch__online() returns the CPUs that were online at the latest check. cpu_watch__stayed()
 * returns the CPUs that were online without interruption between the latest two checks. Both maps
 * are valid until the next check.
 */
const struct cpumap *cpu_watch__online(const struct cpu_watch *watch);
const struct cpumap *cpu_watch__stayed(const struct cpu_watch *watch);

#endif
