/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the kernel's messages (uevents) about CPUs that go offline or come online
 * (drivers/base/core.c, lib/kobject_uevent.c). Any user may receive the messages. The kernel sends
 * them after the change, and only to network namespaces that belong to the initial user namespace.
 * The kernel sends no messages when it takes CPUs offline to suspend the machine.
 */
#ifndef PSTAT_MACHINE_CPU_UEVENT_H
#define PSTAT_MACHINE_CPU_UEVENT_H

#include <stdbool.h>
#include <stddef.h>

struct cpu_uevent {
	int cpu;
	bool online; /* true: the CPU came online; false: the CPU went offline */
};

/*
 * Parses a message of @len bytes. Only the beginning of the message is needed, for example
 * "offline@/devices/system/cpu/cpu1" and the NUL byte after it. Returns false if the message is not
 * about a CPU that went offline or came online.
 */
bool cpu_uevent__parse(const char *message, size_t len, struct cpu_uevent *event);

/*
 * Returns a non-blocking socket that receives the messages, or -errno. A filter in the kernel drops
 * most messages that are not about CPUs.
 */
int cpu_uevent__open(void);

/*
 * Receives the next message about a CPU. Returns 1 and sets *@event; 0 if there are no more
 * messages; -ENOBUFS if the kernel had to drop messages; or another -errno.
 */
int cpu_uevent__receive(int fd, struct cpu_uevent *event);

#endif
