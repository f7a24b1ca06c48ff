// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bpf-settle.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/machine/cpumap.h"

static int run_on(int prog_fd, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)cpu);

	if (!bpf_prog_test_run_opts(prog_fd, &opts))
		return 0;
	return errno == ENXIO ? 0 : -errno; /* it is offline */
}

/* Moves this thread to @cpu and keeps it there. */
static bool stay_on(int cpu)
{
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	bool stays;

	if (!set)
		return false;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	stays = !sched_setaffinity(0, size, set);
	CPU_FREE(set);
	return stays;
}

#define MAX_CPUS 65536

/* Moves this thread to some CPU that it may be on, and that is not @cpu. */
static void leave(const cpu_set_t *allowed, size_t size, int cpu)
{
	int left = CPU_COUNT_S(size, allowed);

	for (int other = 0; left; other++) {
		if (!CPU_ISSET_S((size_t)other, size, allowed))
			continue;
		left--;
		if (other != cpu && stay_on(other))
			return;
	}
}

/* All CPUs but the one that this is on, and then that one. */
static int run_on_all(int prog_fd, const struct cpumap *cpus, const cpu_set_t *allowed, size_t size)
{
	int here = sched_getcpu(), err = 0;

	stay_on(here);
	for (int i = 0; !err && i < cpus->nr; i++)
		if (cpus->ids[i] != here)
			err = run_on(prog_fd, cpus->ids[i]);
	if (err || cpumap__index(cpus, here) < 0)
		return err;
	leave(allowed, size, here);
	return run_on(prog_fd, here);
}

int bpf_settle__cpus(int prog_fd, const struct cpumap *cpus)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *allowed = CPU_ALLOC(MAX_CPUS);
	int err;

	if (!allowed)
		return -ENOMEM;
	CPU_ZERO_S(size, allowed);
	if (sched_getaffinity(0, size, allowed)) {
		err = -errno;
	} else {
		err = run_on_all(prog_fd, cpus, allowed, size);
		sched_setaffinity(0, size, allowed);
	}
	CPU_FREE(allowed);
	return err;
}
