/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a machine out of files, for tests of util/machine and util/event. The files are in a new
 * directory, which is removed at the end.
 */
#ifndef PSTAT_TEST_EVENT_ROOTS_H
#define PSTAT_TEST_EVENT_ROOTS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/made-files.h"
#include "util/base/sysfs.h"

struct fake_roots {
	char dir[64], sysfs[80], procfs[80], tracefs[80];
	struct sysroots roots;
};

/* Writes one file below the roots' directory, and makes all directories above it. */
static inline void fake_roots__file(const struct fake_roots *fake, const char *path,
				    const char *content)
{
	if (made_files__write(fake->dir, path, content, strlen(content)))
		abort();
}

/* Writes a file of the PMU @pmu. */
static inline void fake_roots__pmu_file(const struct fake_roots *fake, const char *pmu,
					const char *file, const char *content)
{
	char path[1024];

	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/%s", pmu, file);
	fake_roots__file(fake, path, content);
}

static inline void fake_roots__init(struct fake_roots *fake)
{
	memset(fake, 0, sizeof(*fake));
	/*
	 * The directory is in memory if possible, because files that are written often would wait
	 * for a disk.
	 */
	snprintf(fake->dir, sizeof(fake->dir), "%s/pstat-test-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(fake->dir))
		abort();
	snprintf(fake->sysfs, sizeof(fake->sysfs), "%s/sys", fake->dir);
	snprintf(fake->procfs, sizeof(fake->procfs), "%s/proc", fake->dir);
	snprintf(fake->tracefs, sizeof(fake->tracefs), "%s/tracing", fake->dir);
	fake->roots = (struct sysroots){ .sysfs = fake->sysfs,
					 .procfs = fake->procfs,
					 .tracefs = fake->tracefs };
}

static inline void fake_roots__remove(const struct fake_roots *fake)
{
	made_files__remove(fake->dir);
}

/* Makes a server with two packages: a core PMU, three memory controllers, msr, and tracepoints. */
static inline void fake_roots__server(const struct fake_roots *fake)
{
	static const char *const imcs[] = { "uncore_imc_0", "uncore_imc_1", "uncore_imc_10" };
	char type[16];

	fake_roots__pmu_file(fake, "cpu", "type", "4\n");
	fake_roots__pmu_file(fake, "cpu", "format/event", "config:0-7\n");
	fake_roots__pmu_file(fake, "cpu", "format/umask", "config:8-15\n");
	fake_roots__pmu_file(fake, "cpu", "format/any", "config:21\n");
	fake_roots__pmu_file(fake, "cpu", "format/ldlat", "config1:0-15\n");
	fake_roots__pmu_file(fake, "cpu", "format/split", "config2:0-3,60-63\n");
	fake_roots__pmu_file(fake, "cpu", "format/third", "config3:4-7\n");
	fake_roots__pmu_file(fake, "cpu", "format/broken", "what\n");
	fake_roots__pmu_file(fake, "cpu", "events/inst_retired", "event=0xc0,umask=0x1\n");
	fake_roots__pmu_file(fake, "cpu", "events/loop", "loop\n");
	fake_roots__pmu_file(fake, "cpu", "events/empty", "");
	fake_roots__pmu_file(fake, "cpu", "events/garbled", "event=,\n");
	fake_roots__pmu_file(fake, "cpu", "events/param", "event=?,umask=0x2\n");
	for (int i = 0; i < 3; i++) {
		snprintf(type, sizeof(type), "%d\n", 20 + i);
		fake_roots__pmu_file(fake, imcs[i], "type", type);
		fake_roots__pmu_file(fake, imcs[i], "cpumask", "0,16\n");
		fake_roots__pmu_file(fake, imcs[i], "format/event", "config:0-7\n");
		fake_roots__pmu_file(fake, imcs[i], "events/cas", "event=0x04\n");
		fake_roots__pmu_file(fake, imcs[i], "events/cas.unit", "MiB\n");
		fake_roots__pmu_file(fake, imcs[i], "events/cas.scale", "0.5\n");
		fake_roots__pmu_file(fake, imcs[i], "events/cas.per-pkg", "1\n");
		fake_roots__pmu_file(fake, imcs[i], "events/cas.snapshot", "1\n");
	}
	fake_roots__pmu_file(fake, "msr", "type", "9\n");
	fake_roots__pmu_file(fake, "msr", "format/event", "config:0-63\n");
	fake_roots__pmu_file(fake, "msr", "events/tsc", "event=0x00\n");
	fake_roots__pmu_file(fake, "software", "type", "1\n");
	fake_roots__pmu_file(fake, "bad", "type", "many\n");
	fake_roots__file(fake, "tracing/events/enable", "0\n");
	fake_roots__file(fake, "tracing/events/sched/enable", "0\n");
	fake_roots__file(fake, "tracing/events/sched/sched_switch/id", "316\n");
	fake_roots__file(fake, "tracing/events/sched/sched_wakeup/id", "317\n");
	fake_roots__file(fake, "tracing/events/irq/softirq_entry/id", "20\n");
	fake_roots__file(fake, "tracing/events/irq/broken/id", "");
}

/* Makes a machine with two kinds of core. */
static inline void fake_roots__hybrid(const struct fake_roots *fake)
{
	fake_roots__pmu_file(fake, "cpu_core", "type", "4\n");
	fake_roots__pmu_file(fake, "cpu_core", "cpus", "0-7\n");
	fake_roots__pmu_file(fake, "cpu_core", "format/event", "config:0-7\n");
	fake_roots__pmu_file(fake, "cpu_core", "events/mem-loads", "event=0xcd\n");
	fake_roots__pmu_file(fake, "cpu_atom", "type", "10\n");
	fake_roots__pmu_file(fake, "cpu_atom", "cpus", "8-15\n");
	fake_roots__pmu_file(fake, "cpu_atom", "format/event", "config:0-7\n");
	fake_roots__pmu_file(fake, "cpu_atom", "events/mem-loads", "event=0xd0\n");
}

#endif
