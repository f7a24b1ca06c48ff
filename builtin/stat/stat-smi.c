// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-smi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"

#define FREEZE_ON_SMI "bus/event_source/devices/cpu/freeze_on_smi"

int stat_smi__check(void)
{
	uint64_t value;

	if (!sysfs__read_u64(sysroots__host()->sysfs, FREEZE_ON_SMI, &value))
		return 0;
	log__plain_at(LOG_ERROR, "freeze_on_smi is not supported.\n");
	return EXIT_CONFLICT;
}

static int set(const char *value)
{
	char path[PATH_MAX];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/" FREEZE_ON_SMI, sysroots__host()->sysfs);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, value, 1) < 0)
		err = -errno;
	close(fd);
	return err;
}

int stat_smi__freeze(bool *changed)
{
	uint64_t value;
	int err;

	*changed = false;
	if (sysfs__read_u64(sysroots__host()->sysfs, FREEZE_ON_SMI, &value) || value)
		return 0;
	err = set("1");
	*changed = !err;
	if (!err)
		return 0;
	log__plain_at(LOG_ERROR, "Failed to set freeze_on_smi.\n");
	pr_err("--smi-cost: %s/" FREEZE_ON_SMI ": %s", sysroots__host()->sysfs, strerror(-err));
	return EXIT_CONFLICT;
}

void stat_smi__thaw(void)
{
	int err = set("0");

	if (err)
		pr_warn("--smi-cost: %s/" FREEZE_ON_SMI " stays 1: %s", sysroots__host()->sysfs, strerror(-err));
}
