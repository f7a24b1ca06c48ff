// SPDX-License-Identifier: GPL-2.0-only
/* pstat help: a command's manual page, or what it says of itself where there is no man or no page. */
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"

/* False when the user has seen no page. */
static bool show_page(const char *page)
{
	char *argv[] = { (char *)"man", (char *)page, NULL };
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ))
		return false;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return !WIFEXITED(status) || !WEXITSTATUS(status);
}

/* argp prints it and ends the process. */
static int show_usage(const struct command *command)
{
	char *argv[] = { (char *)command->name, (char *)"--help", NULL };

	return command->run(2, argv);
}

static int no_such_command(const char *name)
{
	struct strbuf names = STRBUF_INIT;

	for (const struct command *command = commands; command->name; command++)
		strbuf__addf(&names, "%s%s", names.len ? ", " : "", command->name);
	pr_err("help %s: there is no such command: there are %s", name, names.text);
	strbuf__free(&names);
	return EXIT_USAGE;
}

/* `help help`, and what describes all: pstat(1). */
static bool is_of_all(const char *name)
{
	return !strcmp(name, "help") || !strcmp(name, "version") || !strcmp(name, "pstat");
}

int cmd_help(int argc, char **argv)
{
	const struct command *command = command__find("stat");
	char page[32] = "pstat";

	if (argc > 2) {
		pr_err("help %s %s: one command at a time", argv[1], argv[2]);
		return EXIT_USAGE;
	}
	if (argc < 2 || *argv[1] == '-')
		return show_usage(command);
	if (!strcmp(argv[1], "self")) { /* no command: the library */
		snprintf(page, sizeof(page), "pstat-self");
	} else if (!is_of_all(argv[1])) {
		command = command__find(argv[1]);
		if (!command)
			return no_such_command(argv[1]);
		snprintf(page, sizeof(page), "pstat-%s", command->name);
	}
	return show_page(page) ? 0 : show_usage(command);
}
