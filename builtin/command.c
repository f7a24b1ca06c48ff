// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/machine/symbols/far-file.h"

const struct command commands[] = {
	{ "stat", command__stat },	 { "profile", command__profile },
	{ "export", command__export },	 { "list", command__list },
	{ "progs", command__progs },	 { "why", command__why },
	{ "compare", command__compare }, { "help", command__help },
	{ "version", command__version }, { 0 },
};

const struct command *command__find(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(name, command->name))
			return command;
	return NULL;
}

/* Handles the option -h of all commands. argp calls this function before the command's parser. */
static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		break;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/*
 * The write function of a stream that fopencookie(3) opened. Writes @text to the stream @to, with
 * "?" in place of control characters, which could move the cursor of a terminal. Keeps newlines.
 */
static ssize_t write_clean(void *to, const char *text, size_t len)
{
	struct strbuf clean = STRBUF_INIT;

	for (size_t at = 0, part; at < len; at += part) {
		const char *end = memchr(text + at, '\n', len - at);

		part = end ? (size_t)(end - text) - at : len - at;
		strbuf__add_clean_part(&clean, text + at, part);
		if (end) {
			strbuf__addc(&clean, '\n');
			part++;
		}
	}
	if (strbuf__failed(&clean))
		fwrite(text, 1, len, to);
	else
		fputs(clean.text, to);
	strbuf__free(&clean);
	return (ssize_t)len;
}

/*
 * Parses the options. In its error messages, argp prints an unknown option unchanged. The option
 * may come from untrusted data, so pstat filters the messages. The only way to do this is to
 * replace the stream in the variable stderr.
 */
static error_t parse_with_clean_messages(const struct argp *argp, int argc, char **argv,
					 unsigned int flags, void *input)
{
	FILE *real = stderr,
	     *clean = fopencookie(real, "w", (cookie_io_functions_t){ .write = write_clean });
	error_t err;

	if (clean) {
		setvbuf(clean, NULL, _IONBF, 0);
		stderr = clean;
	}
	err = argp_parse(argp, argc, argv, flags, NULL, input);
	stderr = real;
	if (clean)
		fclose(clean);
	return err;
}

int command__words(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input)
{
	static const struct argp_option options[] = {
		{ NULL, 'h', NULL, 0, "same as --help", -1 },
		{ 0 },
	};
	const struct argp_child own[] = { { argp, 0, NULL, 0 }, { 0 } };
	const struct argp common = { .options = options, .parser = parse_common, .children = own };
	int err;

	argp_err_exit_status = EXIT_USAGE;
	err = parse_with_clean_messages(&common, argc, argv, flags, input);
	if (err != ENOMEM) /* argp has reported all other errors */
		return err ? EXIT_USAGE : 0;
	pr_err("cannot read the command line: %s", strerror(err));
	return EXIT_FAILED;
}

/* The arguments of command__parse() that parse_word() needs. argp passes them as state->input. */
struct taken {
	const struct command_words *words;
	void *to;
};

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
	const struct taken *taken = state->input;

	if (key == ARGP_KEY_ARG)
		taken->words->take_word(taken->to, arg, state);
	else if (!taken->words->take_option(taken->to, key, arg))
		return ARGP_ERR_UNKNOWN;
	return 0;
}

void command__set_locale(void)
{
	static const int categories[] = { LC_CTYPE, LC_NUMERIC, LC_MESSAGES };

	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		setlocale(categories[i], "");
}

int command__parse(const struct command_words *words, const char *name, int argc, char **argv,
		   void *to)
{
	const struct argp argp = { .options = words->options,
				   .parser = parse_word,
				   .args_doc = words->args_doc,
				   .doc = words->doc };
	struct taken taken = { words, to };

	command__set_locale();
	argv[0] = (char *)name;
	return command__words(&argp, argc, argv, 0, &taken);
}

int command__out_of_memory(void)
{
	log__out_of_memory();
	return EXIT_FAILED;
}

static int open_dir(const char *dir)
{
	DIR *stream = opendir(dir);

	if (!stream)
		return -errno;
	closedir(stream);
	return 0;
}

int command__check_dir(const char *option, const char *dir)
{
	int err = far_file__check_dir(dir);

	far_file__end();
	if (err)
		pr_err("%s %s: the directory cannot be read: %s", option, log__value(dir),
		       strerror(-err));
	return err ? EXIT_USAGE : 0;
}

int command__events_dir(const char *given, const char **dir)
{
	const char *all = getenv("PSTAT_EVENTS");
	int err;

	if (given) {
		*dir = given;
		return command__check_dir("--events-dir", given);
	}
	*dir = !all ? vendor_installed : *all ? all : NULL;
	err = all && *all ? open_dir(all) : 0;
	if (!err)
		return 0;
	pr_warn("PSTAT_EVENTS=%s: the directory cannot be read: %s\n"
		"the names of the vendors' events are unknown",
		*dir, strerror(-err));
	*dir = NULL;
	return 0;
}
