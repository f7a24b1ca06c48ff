// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bpf-settle.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "util/machine/cpu/cpumap.h"

static int run_on(int prog_fd, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)cpu);

	if (!bpf_prog_test_run_opts(prog_fd, &opts))
		return 0;
	return errno == ENXIO ? 0 : -errno; /* the CPU is offline */
}

int bpf_settle__cpus(int prog_fd, const struct cpumap *cpus)
{
	int err = 0;

	for (int i = 0; !err && i < cpus->nr; i++)
		err = run_on(prog_fd, cpus->ids[i]);
	return err;
}
