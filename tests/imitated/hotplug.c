// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imitates CPUs that go offline while pstat or perf counts. With IMITATED_HOTPLUG in the
 * environment, the list of online CPUs is read from sysfs, where the counted command can change it.
 * In this mode, each read(2) of an event adds one second to the times for which the event was
 * enabled and running, and its count grows in proportion.
 */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

static void read_online(bool *online)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	char list[256] = "";

	if (file) {
		if (fgets(list, sizeof(list), file))
			machine__mark_cpus(online, list);
		fclose(file);
	}
}

/*
 * Returns the CPU to which the driver of an uncore PMU moves events of @cpu
 * (perf_pmu_migrate_context()): @cpu itself if it is online, otherwise another CPU of the same
 * package.
 */
static int new_cpu(const struct pmu *pmu, int cpu)
{
	bool online[MAX_CPUS] = { 0 };

	read_online(online);
	for (int other = 0; !online[cpu] && other < MAX_CPUS; other++)
		if (online[other] && pmu->moves[other] == pmu->moves[cpu])
			return other;
	return cpu;
}

void hotplug__read(struct event *event, uint64_t *words)
{
	struct event *leader = event->leader;

	if (!getenv("IMITATED_HOTPLUG") || event->attr.read_format & PERF_FORMAT_GROUP)
		return;
	event->reads++;
	/* the count, and the times for which the event has been enabled and running */
	for (int i = 0; i < 3; i++)
		words[i] *= event->reads;
	if (event->pmu->kind != KIND_UNCORE || event->pid != -1)
		return;
	/* a group moves as a whole */
	for (struct event *e = leader; e; e = e->next)
		e->cpu = new_cpu(event->pmu, e->cpu);
}
