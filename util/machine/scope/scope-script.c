// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-script.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "util/base/regular-file.h"

/* The kernel reads this number of bytes of a script's first line (BINPRM_BUF_SIZE). */
#define FIRST_LINE 256

static bool is_env(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, "env");
}

/*
 * Returns the command among the arguments of env: the first one that is neither an option nor a
 * variable. Returns NULL if there is none.
 */
static const char *command_of_env(char **rest)
{
	const char *word = strtok_r(NULL, " \t", rest);

	/* skip options, such as -S, and variables */
	while (word && (*word == '-' || strchr(word, '=')))
		word = strtok_r(NULL, " \t", rest);
	return word;
}

bool scope_script__interpreter(int named, char *name, size_t size)
{
	char line[FIRST_LINE + 1], *rest = NULL;
	const char *word = NULL;
	int fd = regular_file__read_from(named);
	ssize_t len;

	if (fd < 0)
		return false;
	len = read(fd, line, FIRST_LINE);
	close(fd);
	line[len > 0 ? len : 0] = '\0';
	if (!strncmp(line, "#!", 2)) {
		line[strcspn(line, "\n")] = '\0';
		word = strtok_r(line + 2, " \t", &rest);
	}
	if (word && is_env(word))
		word = command_of_env(&rest);
	if (!word || strlen(word) >= size)
		return false;
	for (const char *at = word; *at; at++)
		if (!isprint((unsigned char)*at))
			return false;
	strcpy(name, word);
	return true;
}
