/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands. Each command gets its own argv, in which argv[0] is the name of the command, and
 * returns the exit code. Each command has a directory. Start reading here:
 *
 *	stat/stat.c		the steps in order; then stat/stat-raw.h, which lists the files that
 *				read the command line
 *	profile/profile-run.c	the steps of pstat profile; its rows are in util/report/profile/
 *	export/export.c		the steps of pstat export
 *	list/list.c		the events and metrics of this machine
 *	progs/progs.c		loaded BPF programs
 *	why/why.c		why the kernel refuses events
 *	compare/compare.c	is one series of runs worse than another?
 *
 * options/option-rows.h has the options of stat, profile and export. The other files belong to no
 * single command: command.c (the table of commands), help.c, version.c, stand-in.h (pstat under the
 * name perf), count-end.h, output-file.h.
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

/* All commands, followed by one without a name. */
extern const struct command commands[];

/* Returns NULL if there is no command with this name. */
const struct command *command__find(const char *name);

/*
 * Sets the categories of the user's locale that pstat uses: characters, the form of numbers, and
 * messages of the C library. Not LC_ALL, because glibc would open and map one more file for each of
 * its other categories.
 */
void command__set_locale(void);

/* The options and other words of a command, and what its help says about them (see argp(3)). */
struct command_words {
	const struct argp_option *options;
	bool (*take_option)(void *to, int key, char *arg); /* false: @key is not an option */
	void (*take_word)(void *to, char *word, struct argp_state *state);
	const char *args_doc, *doc;
};

/*
 * Parses a command line with @argp, whose parser gets @input. Returns 0, EXIT_USAGE, or EXIT_FAILED
 * after reporting that memory ran out. --help, -h, --usage and invalid options end the process.
 */
int command__words(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);
/*
 * Sets the locale, and makes @name the name of the command in messages. Then parses the command
 * line as command__words() does, and passes each option and each word to the functions of @words,
 * with @to as their first argument.
 */
int command__parse(const struct command_words *words, const char *name, int argc, char **argv,
		   void *to);

/* Reports that memory ran out, and returns EXIT_FAILED. */
int command__out_of_memory(void);

/*
 * Checks that @dir, the value of @option, is a directory that can be read. Returns 0, or EXIT_USAGE
 * after reporting the reason.
 */
int command__check_dir(const char *option, const char *dir);
/*
 * Sets *@dir to the directory of the vendors' event files: @given, the value of --events-dir; if
 * that is NULL, the environment variable PSTAT_EVENTS; if that is not set, vendor_installed
 * (vendor.h). Sets *@dir to NULL if PSTAT_EVENTS is empty. Returns 0, or EXIT_USAGE after reporting
 * that @given cannot be used. If PSTAT_EVENTS cannot be used, only warns and sets *@dir to NULL,
 * because the variable applies to all commands.
 */
int command__events_dir(const char *given, const char **dir);

int command__stat(int argc, char **argv);
/*
 * Runs pstat stat under the name perf. pstat does not have `stat record` and `stat report`: if the
 * command line is for one of these, only sets *@file_command to that word. Otherwise,
 * *@file_command is NULL.
 */
int stat__run_as_perf(int argc, char **argv, const char **file_command);
int command__list(int argc, char **argv);
int command__progs(int argc, char **argv);
int command__why(int argc, char **argv);
int command__compare(int argc, char **argv);
int command__help(int argc, char **argv);
int command__version(int argc, char **argv);
int command__profile(int argc, char **argv);
int command__export(int argc, char **argv);

/*
 * The exit codes of perf, which all commands use. Other exit codes come from the counted command,
 * or from a comparison (compare-print.h).
 */
#define EXIT_USAGE 129	  /* wrong option, value or event; the target does not exist */
#define EXIT_CONFLICT 234 /* options that cannot be combined */
#define EXIT_FAILED 255	  /* the kernel refused something, or counting failed */

#endif
