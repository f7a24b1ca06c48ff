// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-smi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-smi-users.h"
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

/* The path of the setting, which signal handlers need. */
static char setting[PATH_MAX];

/* Signal handlers may call it. */
static int set(const char *value)
{
	int fd = open(setting, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, 1) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* ---- signals that end pstat ---- */

static const int fatal[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGPIPE, SIGALRM,
			     SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGIO,	  SIGPWR };

/*
 * Switches the setting off if no other session needs it. Returns 0 or -errno. Signal handlers may
 * call it.
 */
static int thaw(void)
{
	bool is_last = stat_smi_users__leave();
	int err = is_last ? set("0") : 0;

	stat_smi_users__done(is_last && !err);
	return err;
}

static void thaw_and_die(int sig)
{
	thaw();
	signal(sig, SIG_DFL);
	raise(sig);
}

/*
 * Installs handlers. A session receives some of these signals through a signalfd, but only while it
 * counts.
 */
static void handle_signals(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, before;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		if (!sigaction(fatal[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(fatal[i], &action, NULL);
}

/* ---- the setting ---- */

int stat_smi__freeze(bool *changed)
{
	uint64_t value;
	int err = 0;

	snprintf(setting, sizeof(setting), "%s/" FREEZE_ON_SMI, sysroots__host()->sysfs);
	stat_smi_users__lock();
	*changed = !sysfs__read_u64(sysroots__host()->sysfs, FREEZE_ON_SMI, &value) &&
		   stat_smi_users__join(value);
	if (*changed) {
		handle_signals(thaw_and_die);
		err = set("1");
	}
	stat_smi_users__done(false);
	if (!err)
		return 0;
	thaw();
	handle_signals(SIG_DFL);
	*changed = false;
	log__plain_at(LOG_ERROR, "Failed to set freeze_on_smi.\n");
	pr_err("--smi-cost: %s: %s", setting, strerror(-err));
	return EXIT_CONFLICT;
}

void stat_smi__thaw(void)
{
	int err = thaw();

	handle_signals(SIG_DFL);
	if (err)
		pr_warn("--smi-cost: %s stays 1: %s", setting, strerror(-err));
}
