// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/branch-events.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/fd-limit.h"
#include "util/machine/cpu/cpumap.h"

/*
 * The sample period, which is so long that an event never takes a sample. It must not be 0, because
 * Linux 6.8 to 6.11 record branches only for events whose period is not 0.
 */
#define NO_SAMPLES (1ULL << 62)

static int open_event(pid_t pid, int cpu, uint64_t code)
{
	union perf_attr attr = {
		.attr = {
			.type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_CPU_CYCLES,
			.size = sizeof(attr.attr),
			.sample_period = NO_SAMPLES,
			.sample_type = PERF_SAMPLE_BRANCH_STACK,
			.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | code,
		},
	};

	return perf_sys__open(&attr, pid, cpu, -1, 0);
}

static int add_fd(struct branch_events *events, int fd)
{
	int *fds;

	if (fd < 0)
		return fd;
	fds = reallocarray(events->fds, (size_t)events->nr + 1, sizeof(*fds));
	if (!fds) {
		close(fd);
		return -ENOMEM;
	}
	events->fds = fds;
	fds[events->nr++] = fd;
	return 0;
}

/*
 * Warns only once. Otherwise, the warning would appear for each repetition of -r, or even for each
 * run whose branches cannot be decoded.
 */
static void warn(int err)
{
	pr_warn_once("--branches: %s\nruns are printed without branches", branches__strerror(err));
}

int branch_events__open_all(struct branch_events *events, uint64_t code)
{
	uint64_t needed, allowed;
	struct cpumap *online;
	int err = cpumap__online(sysroots__host(), &online);

	if (err == -ENOMEM)
		return err;
	/* if the limit on open files stays too low, opening the events fails, and pstat warns */
	if (!err)
		fd_limit__make_room((uint64_t)online->nr, &needed, &allowed);
	for (int i = 0; !err && i < online->nr; i++)
		err = add_fd(events, open_event(-1, online->ids[i], code));
	if (online)
		cpumap__free(online);
	if (!err)
		return 0;
	branch_events__close(events);
	if (err == -ENOMEM)
		return err;
	warn(err);
	return 0;
}

int branch_events__add_cpu(struct branch_events *events, uint64_t code, int cpu)
{
	int err = events->nr ? add_fd(events, open_event(-1, cpu, code)) : 0;

	if (err && err != -ENOMEM)
		pr_info("--branches: the branches of CPU %d are not recorded: %s", cpu,
			branches__strerror(err));
	return err == -ENOMEM ? err : 0;
}

int branch_events__open_own(struct branch_events *events)
{
	return add_fd(events, open_event(0, -1, PERF_SAMPLE_BRANCH_KERNEL));
}

void branch_events__close(struct branch_events *events)
{
	for (int i = 0; i < events->nr; i++)
		close(events->fds[i]);
	free(events->fds);
	events->fds = NULL;
	events->nr = 0;
}

int branch_events__decode(struct branch_events *events, const struct branch_block *block)
{
	int nr;

	/* if no event is open, perhaps no CPU records branches, so those in @block may be old */
	if (!events->nr)
		return 0;
	nr = branches__decode(block, events->list);
	if (nr < 0)
		warn(nr);
	return nr < 0 ? 0 : nr;
}
