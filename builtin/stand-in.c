// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stand-in.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/version.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"

/* the exit status of perf if the command is missing or unknown */
#define EXIT_NO_COMMAND 1

/*
 * An environment variable that counts how many times this process and its ancestors have executed
 * another perf. Without the limit DEPTH_MAX, pstat and a script called perf that calls pstat could
 * execute each other forever.
 */
#define DEPTH_VARIABLE "PSTAT_PERF_DEPTH"
#define DEPTH_MAX 8

/* ---- the next perf in PATH ---- */

/* Returns whether @path refers, directly or through links, to the program of this process. */
static bool is_self(const char *path)
{
	struct stat self, other;

	return !stat("/proc/self/exe", &self) && !stat(path, &other) &&
	       self.st_dev == other.st_dev && self.st_ino == other.st_ino;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/*
 * Sets @path to the first program in $PATH that is called perf and is not pstat. If directories of
 * $PATH contain pstat under the name perf, searches only the directories after the last of them,
 * because an earlier directory may contain a script called perf that calls pstat. If no program is
 * found, sets @path to "".
 */
static void find_next_perf(struct strbuf *path)
{
	const char *dir = getenv("PATH") ?: "";
	struct strbuf candidate = STRBUF_INIT;

	strbuf__reset(path);
	for (; dir; dir = strchr(dir, ':') ? strchr(dir, ':') + 1 : NULL) {
		size_t len = strcspn(dir, ":");

		strbuf__reset(&candidate);
		strbuf__addf(&candidate, "%.*s/perf", len ? (int)len : 1, len ? dir : ".");
		if (strbuf__failed(&candidate))
			break;
		if (is_self(candidate.text)) {
			strbuf__reset(path);
		} else if (!path->len && is_program(candidate.text)) {
			strbuf__adds(path, candidate.text);
		}
	}
	strbuf__free(&candidate);
}

static bool is_too_deep(void)
{
	const char *before = getenv(DEPTH_VARIABLE);
	int depth = before ? atoi(before) : 0;
	char text[16];

	if (depth < 0 || depth >= DEPTH_MAX)
		return true;
	snprintf(text, sizeof(text), "%d", depth + 1);
	setenv(DEPTH_VARIABLE, text, 1);
	return false;
}

/*
 * Replaces this process with another perf that gets the arguments @argv. Does not return unless
 * this fails. In that case, reports the reason, and returns the exit code.
 */
static int hand_over(char **argv, const char *command)
{
	struct strbuf path = STRBUF_INIT;
	int err;

	find_next_perf(&path);
	if (!path.len) {
		pr_err("perf %s: this perf is pstat, which has only stat, list, version and help\n"
		       "no other perf was found in PATH: install the kernel's perf (Debian: "
		       "linux-perf)",
		       command);
	} else if (is_too_deep()) {
		pr_err("perf %s: %s calls pstat again instead of another perf\n"
		       "put the directory of the kernel's perf into PATH, after pstat's directory",
		       command, path.text);
	} else {
		execv(path.text, argv);
		err = errno;
		pr_err("perf %s: %s cannot be run: %s", command, path.text, strerror(err));
	}
	strbuf__free(&path);
	return EXIT_NO_COMMAND;
}

/* ---- the command line ---- */

/*
 * Options that precede the command on perf's command line, and that pstat ignores. If `has_value`
 * is set, the next word is the value of the option.
 */
static const struct ignored {
	const char *name;
	bool has_value;
} ignored[] = {
	{ "--no-pager", false },   { "--paginate", false }, { "-p", false },
	{ "--debugfs-dir", true }, { "--debug", true },	    { "--buildid-dir", true },
	{ "--debug-file", true },
};

static const struct ignored *find_ignored(const char *word)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (!strcmp(word, ignored[i].name))
			return &ignored[i];
	return NULL;
}

static bool is_question(const char *word)
{
	return !strncmp(word, "--exec-path", 11) || !strcmp(word, "--html-path") ||
	       !strcmp(word, "--list-cmds") || !strcmp(word, "--list-opts");
}

static int usage(const char *word)
{
	if (word)
		fprintf(stderr, "Unknown option: %s\n", word);
	fputs("\n Usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]\n\n", stderr);
	return word ? EXIT_USAGE : EXIT_NO_COMMAND;
}

/*
 * Returns whether pstat itself shows the help for `perf help @topic`. This is the case if there is
 * no topic, or if the topic is a command that pstat runs under the name perf.
 */
static bool is_own_help(const char *topic)
{
	return !topic || !strcmp(topic, "stat") || !strcmp(topic, "list") ||
	       !strcmp(topic, "version") || !strcmp(topic, "help");
}

/*
 * Runs pstat stat. If the word `record` or `report`, or an abbreviation of either, follows the
 * options of stat, executes another perf with the arguments @all instead.
 */
static int run_stat(int nr, char **words, char **all)
{
	char *name = words[0], command[64];
	const char *file_command;
	int code = stat__run_as_perf(nr, words, &file_command);

	if (!file_command)
		return code;
	words[0] = name;
	snprintf(command, sizeof(command), "stat %s", file_command);
	return hand_over(all, command);
}

/*
 * Runs a command. @words begins with the name of the command. @all is the whole command line,
 * including perf's own options before the command. Returns the exit code.
 */
static int run_command(int nr, char **words, char **all)
{
	const char *name = words[0];

	if (!strcmp(name, "stat"))
		return run_stat(nr, words, all);
	if (!strcmp(name, "list"))
		return command__list(nr, words);
	if (!strcmp(name, "version"))
		return version__answer_as_perf(nr, words);
	if (!strcmp(name, "help") && is_own_help(words[1]))
		return command__help(nr, words);
	return hand_over(all, name);
}

int stand_in__run(int argc, char **argv)
{
	static char version[] = "version", help[] = "help", verbose[] = "--build-options";
	int at = 1;

	for (; at < argc && *argv[at] == '-'; at++) {
		const struct ignored *option = find_ignored(argv[at]);

		if (!strcmp(argv[at], "-v") || !strcmp(argv[at], "--version")) {
			return version__answer_as_perf(1, (char *[]){ version, NULL });
		} else if (!strcmp(argv[at], "-vv")) {
			return version__answer_as_perf(2, (char *[]){ version, verbose, NULL });
		} else if (!strcmp(argv[at], "-h") || !strcmp(argv[at], "--help")) {
			argv[at] = help;
			break;
		} else if (is_question(argv[at])) {
			return hand_over(argv, argv[at]);
		} else if (option) {
			at += option->has_value;
		} else if (strncmp(argv[at], "--debugfs-dir=", 14)) {
			return usage(argv[at]);
		}
	}
	return at < argc ? run_command(argc - at, argv + at, argv) : usage(NULL);
}
