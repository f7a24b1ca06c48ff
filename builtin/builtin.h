/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands: each takes its own argv, argv[0] being its name, and returns the exit code. A command is a folder; read first
 *
 *	stat/stat.c		the steps in order, then stat/stat-raw.h: which file settles what of the command line
 *	profile/profile-run.c	the same for samples, then their rows: util/report/profile/
 *	list/list.c		events and metrics that have a name here
 *	progs/progs.c		BPF programs that are loaded
 *
 * options/option-rows.h has the options of stat and profile.
 * The other files belong to no single command: command.c (the table of commands), help.c,
 * version.c, stand-in.h (pstat under the name perf), count-end.h, output-file.h.
 */
#ifndef PSTAT_BUILTIN_H
#define PSTAT_BUILTIN_H

#include <stdbool.h>

struct argp;
struct argp_option;
struct argp_state;

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

/* All commands, up to one without a name. */
extern const struct command commands[];

/* NULL when there is no command of that name. */
const struct command *command__find(const char *name);

/*
 * Sets the categories of the user's locale that pstat uses: characters, the form of numbers, and messages of the C
 * library. Each of the others (LC_ALL has twelve) would open and map one more file.
 */
void command__set_locale(void);

/* The options and other words of a command, and what its help says about them (see argp(3)). */
struct command_words {
	const struct argp_option *options;
	bool (*take_option)(void *to, int key, char *arg); /* returns false if @key is no option */
	void (*take_word)(void *to, char *word, struct argp_state *state);
	const char *args_doc, *doc;
};

/*
 * Parses a command line with @argp, whose parser gets @input. Returns 0, EXIT_USAGE, or EXIT_FAILED
 * after reporting that there is no memory. Help (also -h) and wrong options end the process.
 */
int command__words(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);
/*
 * As command__words(), but gives each option and each word to the functions of @words, with @to,
 * after setting the locale and the name of the command, @name, for messages.
 */
int command__parse(const struct command_words *words, const char *name, int argc, char **argv, void *to);

/* Tells it; EXIT_FAILED. */
int command__out_of_memory(void);

/* Is @dir, the value of @option, a folder that can be read? 0, or EXIT_USAGE when it is told that it is none. */
int command__check_dir(const char *option, const char *dir);
/*
 * Sets *@dir to the folder of vendors' event files: @given by --events-dir, otherwise the variable
 * PSTAT_EVENTS of the environment, otherwise vendor_installed (vendor.h). Sets it to NULL if
 * PSTAT_EVENTS is empty. Returns 0, or EXIT_USAGE after reporting that @given is unusable. If
 * PSTAT_EVENTS is unusable, only warns and sets *@dir to NULL, because it applies to all commands.
 */
int command__events_dir(const char *given, const char **dir);

int cmd_stat(int argc, char **argv);
/*
 * Does the same under the name perf. If the command line is for `stat record` or `stat report`,
 * which pstat does not have, this does nothing: *@file_command is then that word, otherwise NULL.
 */
int stat__run_as_perf(int argc, char **argv, const char **file_command);
int cmd_list(int argc, char **argv);
int cmd_progs(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_profile(int argc, char **argv);

/* Exit codes besides the command's own; perf's. */
#define EXIT_USAGE 129	  /* bad option, value or event; a target, of whatever kind, that does not exist */
#define EXIT_CONFLICT 234 /* options that do not go together */
#define EXIT_FAILED 255	  /* refused by the kernel, an error while counting */

#endif
