// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-series.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builtin/stat/stat-options.h"
#include "util/base/log.h"
#include "util/count/fd-limit.h"

extern char **environ;

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

/*
 * Runs a shell command with the signal mask @mask, because the command must not inherit pstat's
 * blocked signals. system(3) cannot set the mask. @consequence is the end of the error message.
 * Returns 0, or -ECANCELED after reporting the reason.
 */
static int run(const char *option, const char *command, const sigset_t *mask,
	       const char *consequence)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	posix_spawnattr_t attr;
	pid_t pid;
	int err, status;

	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, mask);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	fd_limit__hide();
	err = posix_spawn(&pid, "/bin/sh", NULL, &attr, argv, environ);
	fd_limit__show();
	posix_spawnattr_destroy(&attr);
	if (err) {
		pr_err("%s '%s': cannot be run: %s%s", option, command, strerror(err), consequence);
		return -ECANCELED;
	}
	status = wait_for(pid);
	if (!status)
		return 0;
	if (status < 0)
		pr_err("%s '%s': cannot wait for it: %s%s", option, command, strerror(-status),
		       consequence);
	else if (WIFSIGNALED(status))
		pr_err("%s '%s': ended by signal %d%s", option, command, WTERMSIG(status),
		       consequence);
	else
		pr_err("%s '%s': failed with exit code %d%s", option, command, WEXITSTATUS(status),
		       consequence);
	return -ECANCELED;
}

int stat_hooks__before(const struct stat_options *options, const sigset_t *mask)
{
	int err = options->pre ? run("--pre", options->pre, mask, ": this repetition is skipped") :
				 0;

	if (!err && options->sync)
		sync();
	return err;
}

void stat_hooks__after(const struct stat_options *options, const sigset_t *mask)
{
	run("--post", options->post, mask, "");
}
