// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go offline while a tool counts. With IMITATED_HOTPLUG in the environment, the list of
 * online CPUs is read from sysfs, where the command can change it. In this mode, an event has been
 * enabled for one second for each read(2).
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
 * Returns @cpu, or if it is offline, another CPU of the same package: the driver of an uncore PMU
 * moves the events to that CPU with perf_pmu_migrate_context().
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
