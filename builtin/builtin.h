/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of pstat. The function of a command gets the command's name in argv[0], and returns
 * the exit code of pstat. Most commands have their own directory. Start reading with these files:
 *
 *	stat/stat.c		the steps of pstat stat, in order
 *	stat/stat-raw.h		a list of the files that read the command line of pstat stat
 *	profile/profile-run.c	the steps of pstat profile; util/report/profile/ makes its rows
 *	export/export.c		the steps of pstat export
 *	list/list.c		pstat list: the events and metrics of this machine
 *	progs/progs.c		pstat progs: the loaded BPF programs
 *	why/why.c		pstat why: the reasons why the kernel refuses events
 *	compare/compare.c	pstat compare: tests whether new counts are worse than old counts
 *
 * options/option-rows.h declares the table of the options of stat, profile and export. command.c
 * contains the table of commands. stand-in.c reads the command line if pstat was started under the
 * name perf. help.c and version.c contain the commands `help` and `version`. Several commands use
 * count-end.h and output-file.h.
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

/* All commands. In the last element, `name` is NULL. */
extern const struct command commands[];

/* Returns the command with this name, or NULL. */
const struct command *command__find(const char *name);

/*
 * Sets three locale categories from the user's environment: LC_CTYPE, LC_NUMERIC and LC_MESSAGES.
 * Does not set LC_ALL, because glibc would then also open and map a file for each category that
 * pstat does not use.
 */
void command__set_locale(void);

/*
 * What command__parse() needs to know about a command: its options, the functions that store its
 * options and other arguments, and the texts that its --help prints (see argp(3)).
 */
struct command_words {
	const struct argp_option *options;
	/* returns false if @key is not the key of an option */
	bool (*take_option)(void *to, int key, char *arg);
	void (*take_word)(void *to, char *word, struct argp_state *state);
	const char *args_doc, *doc;
};

/*
 * Parses a command line with @argp, and passes @input to the parser of @argp. --help, -h, --usage
 * and invalid options end the process. Otherwise, returns 0; EXIT_USAGE after argp has reported any
 * other error; or EXIT_FAILED after reporting that memory ran out.
 */
int command__words(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);
/*
 * Sets the locale, and sets argv[0] to @name, the name of the command in messages. Then parses the
 * command line as command__words() does. Calls words->take_option() for each option, and
 * words->take_word() for each other argument. Both functions get @to as their first argument.
 * Returns the same values as command__words().
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
 * Sets *@dir to the directory of the vendors' event files. @given is the value of --events-dir, or
 * NULL. If @given is NULL, uses the environment variable PSTAT_EVENTS. If this variable is not set,
 * uses the directory of the installed files (vendor_installed in vendor.h). If the variable is
 * empty, sets *@dir to NULL.
 *
 * Returns 0, or EXIT_USAGE after reporting that @given cannot be read. If the directory that
 * PSTAT_EVENTS names cannot be read, only warns and sets *@dir to NULL, because the user may have
 * set the variable for another command.
 */
int command__events_dir(const char *given, const char **dir);

int command__stat(int argc, char **argv);
/*
 * Runs pstat stat. Call this instead of command__stat() if pstat was started under the name perf.
 * pstat does not have the commands `stat record` and `stat report`. If the command line contains
 * one of these commands, only sets *@file_command to "record", "report" or the abbreviation that
 * the user wrote, and returns 0. Otherwise, sets *@file_command to NULL, and returns the exit code.
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
 * The exit codes that all commands use. They are the same as in perf. Other exit codes come from
 * the counted command (count-end.h) or from a comparison (compare-print.h), or are used only under
 * the name perf (stand-in.c).
 */
#define EXIT_USAGE 129	  /* wrong option, value or event; the target does not exist */
#define EXIT_CONFLICT 234 /* options that cannot be combined */
#define EXIT_FAILED 255	  /* all other errors, for example running out of memory */

#endif
