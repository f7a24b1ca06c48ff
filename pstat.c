// SPDX-License-Identifier: GPL-2.0-only
/* The commands. Without the name of one it is `stat`, as perf users type it most. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "stat", cmd_stat },
	{ "list", cmd_list },
	{ "progs", cmd_progs },
	{ "profile", cmd_profile },
};

/* A file that is opened while 0, 1 or 2 is closed gets that number, and then what is meant for the user. */
static int fill_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (fill_standard_fds())
		return EXIT_FAILED;
	if (argc > 1) {
		for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
			if (!strcmp(argv[1], commands[i].name))
				return commands[i].run(argc - 1, argv + 1);
	}
	return cmd_stat(argc, argv);
}
