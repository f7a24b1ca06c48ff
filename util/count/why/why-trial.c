// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/why/why-trial.h"

#include <errno.h>

#include "util/count/backend.h"
#include "util/count/fd/event-fds.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"

void why_trial__fill(struct why_trial *trial, const struct evsel *evsel,
		     const struct stat_config *cfg, const struct event_open_how *sampling)
{
	struct event_open_how how = { .disabled = true };

	if (sampling)
		how = *sampling;
	else if (!backend__wants_bpf(evsel, cfg))
		how = event_open_how__native(cfg);
	trial->may_change_guest = !evsel->guest_host_given;
	event_open_how__fill_attr(&how, evsel, evsel__is_group_leader(evsel), &trial->attr);
}

int why_trial__open(const struct why_trial *trial)
{
	/* use a copy, because the kernel overwrites attr.size if it does not accept this size */
	union perf_attr attr = trial->attr;

	return perf_sys__open(&attr, trial->at.pid, trial->at.cpu, trial->at.group_fd,
			      trial->at.flags);
}

/*
 * Opens the event with the other value of exclude_guest, if event_open() would do so after the
 * error @err. Returns an fd, or @err.
 */
static int open_again(const struct why_trial *trial, int err)
{
	struct why_trial other = *trial;
	bool excludes = trial->attr.attr.exclude_guest;
	int fd;

	if (!trial->may_change_guest || err != (excludes ? -EINVAL : -EOPNOTSUPP))
		return err;
	other.attr.attr.exclude_guest = !excludes;
	fd = why_trial__open(&other);
	return fd < 0 ? err : fd;
}

int why_trial__try(const struct why_trial *trial)
{
	int fd = why_trial__open(trial);

	if (fd < 0)
		fd = open_again(trial, fd);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}
