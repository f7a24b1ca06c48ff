// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat help: shows the manual page of a command. If man or the page is not installed, prints the
 * command's --help text.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"

static bool run_man(char **argv, const posix_spawn_file_actions_t *actions)
{
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], actions, NULL, argv, environ))
		return false;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return !WIFEXITED(status) || !WEXITSTATUS(status);
}

/* Returns whether man finds the page. Discards the output of man. */
static bool has_page(char *page)
{
	char *argv[] = { (char *)"man", (char *)"-w", page, NULL };
	posix_spawn_file_actions_t quiet;
	bool found;

	if (posix_spawn_file_actions_init(&quiet))
		return false;
	found = !posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY,
						  0) &&
		!posix_spawn_file_actions_adddup2(&quiet, STDOUT_FILENO, STDERR_FILENO) &&
		run_man(argv, &quiet);
	posix_spawn_file_actions_destroy(&quiet);
	return found;
}

/* Shows the page. Returns false if the page could not be shown. */
static bool show_page(char *page)
{
	char *argv[] = { (char *)"man", page, NULL };

	return has_page(page) && run_man(argv, NULL);
}

/* Runs the command with --help. argp prints the help and ends the process. */
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
	pr_err("help %s: there is no such command: the commands are %s", log__value(name),
	       names.text);
	strbuf__free(&names);
	return EXIT_USAGE;
}

/* Shows the manual page of libpstat-self. This is a library, so there is no --help text. */
static int show_library(void)
{
	char page[] = "pstat-self";

	if (show_page(page))
		return 0;
	pr_err("help self: the page pstat-self(3) is not installed\n"
	       "read the header pstat-self.h instead");
	return EXIT_FAILED;
}

/* Returns whether pstat(1) is the manual page for @name. */
static bool is_of_all(const char *name)
{
	return !strcmp(name, "help") || !strcmp(name, "version") || !strcmp(name, "pstat");
}

int command__help(int argc, char **argv)
{
	const struct command *command = command__find("stat");
	char page[32] = "pstat";

	if (argc > 2) {
		pr_err("help %s %s: give only one command", argv[1], argv[2]);
		return EXIT_USAGE;
	}
	if (argc < 2 || *argv[1] == '-')
		return show_usage(command);
	if (!strcmp(argv[1], "self"))
		return show_library();
	if (!is_of_all(argv[1])) {
		command = command__find(argv[1]);
		if (!command)
			return no_such_command(argv[1]);
		snprintf(page, sizeof(page), "pstat-%s", command->name);
	}
	return show_page(page) ? 0 : show_usage(command);
}
