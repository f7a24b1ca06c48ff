// SPDX-License-Identifier: GPL-2.0-only
/* Runs a command. Without the name of one it is `stat`, as perf users type it most. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "util/base/log.h"

/* A file that is opened while 0, 1 or 2 is closed gets that number, and then what is meant for the user. A command finds it closed as before. */
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

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? command__find(argv[1]) : NULL;

	if (fill_standard_fds())
		return EXIT_FAILED;
	return command ? command->run(argc - 1, argv + 1) : cmd_stat(argc, argv);
}
