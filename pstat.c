// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command. If no command is named, it is `stat`. If pstat is started under the name perf, it
 * reads its command line as perf does: builtin/stand-in.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/stand-in.h"
#include "builtin/version.h"
#include "util/base/log.h"

/*
 * If 0, 1 or 2 is closed, the next file that is opened gets this number, and messages for the user
 * would be written to it. So this opens /dev/null for them. A counted command still finds them
 * closed.
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
 * Flushes stdout. The end of the output, including argp's help, may still be in stdio's buffer, and
 * only flushing it shows that a disk is full. Commands that have reported an error end with another
 * status.
 */
static void check_stdout(int status, void *unused)
{
	(void)unused;
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return;
	pr_err("cannot write to stdout: %s", strerror(errno));
	_exit(EXIT_FAILED);
}

static void do_nothing(int sig)
{
	(void)sig;
}

/*
 * Handles SIGXFSZ. Without a handler, it would end pstat; with one, a write beyond RLIMIT_FSIZE
 * fails with EFBIG, which pstat reports. The signal is caught rather than ignored, because exec
 * resets handlers, so commands start with the default action.
 */
static void answer_file_limits(void)
{
	const struct sigaction action = { .sa_handler = do_nothing, .sa_flags = SA_RESTART };
	struct sigaction before;

	if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? command__find(argv[1]) : NULL;
	int code;

	if (fill_standard_fds())
		return EXIT_FAILED;
	/* if the parent process ignores SIGCHLD, pstat could not wait for its children */
	signal(SIGCHLD, SIG_DFL);
	answer_file_limits();
	if (on_exit(check_stdout, NULL)) {
		pr_err("out of memory");
		return EXIT_FAILED;
	}
	if (stand_in__is_perf(argv[0]))
		return stand_in__run(argc, argv);
	if (version__answer_alone(argc, argv, &code))
		return code;
	return command ? command->run(argc - 1, argv + 1) : cmd_stat(argc, argv);
}
