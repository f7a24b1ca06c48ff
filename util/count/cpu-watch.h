/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches which CPUs are online. The perf events of a CPU that goes offline are dead: they keep
 * their counts, but never count again, even when the CPU is back. So a session must learn of each
 * CPU that was offline, even if the CPU came back before the next check. The watch uses three
 * sources:
 *
 * cpu-uevent.h          a CPU was switched off or on; wakes the session immediately
 * CLOCK_BOOTTIME        the system was suspended, with all CPUs but one offline
 * cpu/online in sysfs   the CPUs that are online now; read every second where uevents do not arrive
 */
#ifndef PSTAT_COUNT_CPU_WATCH_H
#define PSTAT_COUNT_CPU_WATCH_H

#include <stdbool.h>

struct cpu_watch;
struct cpumap;
struct strbuf;
struct sysroots;

/*
 * Starts to watch. Returns 0 and *@watch, or -errno. If a system call failed, stores the reason in
 * @why, unless the call was for the file in sysfs.
 */
int cpu_watch__new(const struct sysroots *roots, struct strbuf *why, struct cpu_watch **watch);
void cpu_watch__free(struct cpu_watch *watch);

/* An fd that is readable when cpu_watch__check() should be called. */
int cpu_watch__fd(const struct cpu_watch *watch);

/*
 * Checks which CPUs are online, without waiting. Sets *@changed if a CPU went offline or came
 * online since the last call; the two maps below are then new. Returns 0, or -errno without a
 * reason.
 */
int cpu_watch__check(struct cpu_watch *watch, bool *changed);

/* The CPUs that are online, and those of them that have been online since the previous check. */
const struct cpumap *cpu_watch__online(const struct cpu_watch *watch);
const struct cpumap *cpu_watch__stayed(const struct cpu_watch *watch);

#endif
