/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands: each takes its own argv, argv[0] being its name, and returns the exit code. A command is a folder; read first
 *
 *	stat/stat.c		the steps in order, then stat/stat-raw.h: which file settles what of the command line
 *	profile/profile.c	the same for samples, then profile/profile-view.h: which file shows what
 *	list/list.c		events and metrics that have a name here
 *	progs/progs.c		BPF programs that are loaded
 *
 * The other files belong to no single command: command.c (the table of commands), help.c,
 * version.c, stand-in.h (pstat under the name perf), count-end.h, output-file.h.
 */
#ifndef PSTAT_BUILTIN_H
#define PSTAT_BUILTIN_H

struct argp;

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
/*
 * For a command with options and words of its own: takes them with @argp, which hands them to @input, under the name @name. 0, EXIT_USAGE,
 * or without memory, which is told, EXIT_FAILED; help (-h too) and errors of the command line end the process, as argp has it.
 */
int command__parse(const struct argp *argp, const char *name, int argc, char **argv, void *input);
/* The same with argp's @flags, and only that: no name, no locale. */
int command__words(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

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
