// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command of pstat, by default `stat`. If pstat is started under the name perf, reads the
 * command line as perf does (builtin/stand-in.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/stand-in.h"
#include "util/base/log.h"

/*
 * Opens /dev/null for each of the descriptors 0 to 2 that is closed. Without this, the next file
 * that pstat opens would get the number of a closed descriptor, and messages for the user could be
 * written to this file. The new descriptors are close-on-exec, so a counted command does not
 * inherit them.
 */
static int fill_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0) {
		pr_err("/dev/null: cannot be opened: %s", strerror(errno));
		return -1;
	}
	close(fd);
	return 0;
}

/*
 * Called at exit. If @status is 0, flushes stdout, because pstat may notice an error such as a full
 * disk only when stdio writes the rest of its buffer. If the flush or an earlier write to stdout
 * has failed, prints an error and ends pstat with EXIT_FAILED. If @status is not 0, does nothing,
 * because the exit code already shows a failure.
 */
static void check_stdout(int status, void *unused)
{
	(void)unused;
	errno = 0;
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return;
	pr_err("cannot write to stdout: %s", errno ? strerror(errno) : "an earlier write failed");
	_exit(EXIT_FAILED);
}

static void do_nothing(int sig)
{
	(void)sig;
}

/*
 * Installs a handler for SIGXFSZ, unless the signal is ignored. Without a handler, the signal would
 * end pstat. With a handler, a write beyond RLIMIT_FSIZE fails with EFBIG, and pstat reports the
 * error. pstat does not set the action to SIG_IGN instead, because counted commands would then
 * ignore the signal, too. exec resets handlers, so counted commands start with the default action.
 */
static void answer_file_limits(void)
{
	const struct sigaction action = { .sa_handler = do_nothing, .sa_flags = SA_RESTART };
	struct sigaction before;

	if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

/*
 * Returns whether pstat was started under the name perf, for example through a link of that name.
 * @argv0 may be NULL.
 */
static bool is_perf(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	return argv0 && !strcmp(slash ? slash + 1 : argv0, "perf");
}

/*
 * Returns whether the command line consists only of -v or -vv. For such a command line, pstat
 * prints the version, as perf does. Scripts run `perf -v` to find out whether perf works.
 */
static bool asks_for_version(int argc, char **argv)
{
	return argc == 2 && (!strcmp(argv[1], "-v") || !strcmp(argv[1], "-vv"));
}

static int answer_version(bool verbose)
{
	char *words[] = { (char *)"version", (char *)"--build-options", NULL };

	return command__version(verbose ? 2 : 1, words);
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? command__find(argv[1]) : NULL;

	if (fill_standard_fds())
		return EXIT_FAILED;
	/*
	 * If the parent process ignores SIGCHLD, pstat inherits this setting, with which pstat
	 * could not wait for its own child processes.
	 */
	signal(SIGCHLD, SIG_DFL);
	answer_file_limits();
	if (on_exit(check_stdout, NULL)) {
		pr_err("out of memory");
		return EXIT_FAILED;
	}
	if (is_perf(argv[0]))
		return stand_in__run(argc, argv);
	if (asks_for_version(argc, argv))
		return answer_version(!strcmp(argv[1], "-vv"));
	return command ? command->run(argc - 1, argv + 1) : command__stat(argc, argv);
}
