// SPDX-License-Identifier: GPL-2.0-only
/* The commands. Without the name of one it is `stat`, as perf users type it most. */
#include <stdio.h>
#include <string.h>

#include "builtin/builtin.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "stat", cmd_stat },
	{ "list", cmd_list },
};

int main(int argc, char **argv)
{
	if (argc > 1) {
		for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
			if (!strcmp(argv[1], commands[i].name))
				return commands[i].run(argc - 1, argv + 1);
	}
	return cmd_stat(argc, argv);
}
