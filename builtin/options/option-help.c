// SPDX-License-Identifier: GPL-2.0-only
/* What argp prints about the options: --help, --usage, and what is wrong with a word. */
#include <argp.h>

#include "builtin/builtin.h"
#include "builtin/options/option-words.h"
#include "util/base/log.h"

/* Keys of argp for options without a letter, which argp would print. */
#define KEY_LONG 0x100
#define KEY_NEGATIVE 0x1000

static const struct {
	const char *of[2]; /* by enum option_command */
	int group;
} headings[SECTION_NR] = {
	[WHAT] = { { "What to count:", "What takes the samples:" }, 1 },
	[WHOM] = { { "Whom to count (without any: COMMAND, or else all CPUs until SIGINT):",
		     "Whom to sample (without any: COMMAND, or else all CPUs until SIGINT):" },
		   2 },
	[ROWS] = { { "A row for each (without any: one for all):" }, 3 },
	[WHEN] = { { "When and how often:", "When:" }, 4 },
	[METRICS] = { { "Metrics:" }, 4 },
	[SHOW] = { { "How to show it:", "How to show it:" }, 5 },
	[ELSE] = { { "Else:" }, -1 },
};

static const char stat_doc[] =
	"Count perf events: of a command, of tasks, of CPUs, or inside BPF programs.\v"
	"With -b the counts are those of the time between the start and the end of each run of the "
	"programs; a COMMAND then only says for how long. Example:\n\n"
	"  pstat -b 42 -I 1000 -e run_cnt,cycles,instructions\n\n"
	"Other commands, each with its own --help: pstat profile (where the time goes), pstat list "
	"(events), pstat progs (BPF programs).\n";

static const char profile_doc[] =
	"Sample perf events with a BPF program that adds up in the kernel where they fall.\v"
	"By function, and with --folded by stack: of the kernel, and of users' programs that keep "
	"frame pointers. With -b only samples in these BPF programs and in what they call are "
	"kept, by function and source line; a COMMAND then only says for how long. Examples:\n\n"
	"  pstat profile -F 997 --folded -o stacks -- ./program\n"
	"  pstat profile -b 42 -F 997 --annotate -- sleep 10\n";

static struct argp_option *add_section(struct argp_option *to, enum option_command of, enum option_section section)
{
	const char *heading = headings[section].of[of];

	/* argp prints the heading of the metrics itself, because they are a parser of their own */
	if (heading && section != METRICS)
		*to++ = (struct argp_option){ .doc = heading, .group = headings[section].group };
	for_each_option_row(row) {
		const char *help = option_row__help(row, of);
		int flags = row->flags & OPTIONAL ? OPTION_ARG_OPTIONAL : 0;

		if (help && row->section == section)
			*to++ = (struct argp_option){
				.name = row->name,
				.key = row->letter ?: KEY_LONG + (int)(row - option_rows),
				.arg = row->arg,
				.flags = flags | (section == HIDDEN ? OPTION_HIDDEN : 0),
				.doc = help,
				.group = section == METRICS ? 0 : headings[section].group,
			};
	}
	return to;
}

static void add_negatives(struct argp_option *to, char (*names)[OPTION_NAME_MAX])
{
	for_each_option_row(row) {
		if (!(row->flags & NEGATABLE))
			continue;
		option_row__format_long(row, false, *names);
		*to++ = (struct argp_option){
			.name = *names++,
			.key = KEY_NEGATIVE + (int)(row - option_rows),
			.flags = OPTION_HIDDEN,
		};
	}
}

/* Stores nothing: option_words__read() has stored all words before the one that is wrong. */
static error_t accept_word(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key == ARGP_KEY_ARG)
		state->next = state->argc;
	return key >= ARGP_KEY_INIT ? ARGP_ERR_UNKNOWN : 0;
}

int option_words__explain(enum option_command command, int argc, char **argv)
{
	struct argp_option shown[OPTION_ROWS_MAX + SECTION_NR] = {}, *end = shown;
	struct argp_option metrics[OPTION_ROWS_MAX] = {}, hidden[2 * OPTION_ROWS_MAX] = {};
	char names[OPTION_ROWS_MAX][OPTION_NAME_MAX];
	int code;
	const struct argp of_metrics = { .options = metrics, .parser = accept_word };
	const struct argp of_hidden = { .options = hidden, .parser = accept_word };
	const struct argp_child children[] = {
		{ &of_metrics, 0, headings[METRICS].of[OF_STAT], headings[METRICS].group },
		{ &of_hidden, 0, NULL, 0 },
		{ 0 },
	};
	const struct argp argp = {
		.options = shown,
		.parser = accept_word,
		.args_doc = "[--] [COMMAND [ARG...]]",
		.doc = command == OF_STAT ? stat_doc : profile_doc,
		.children = command == OF_STAT ? children : NULL,
	};

	for (enum option_section section = WHAT; section < SECTION_NR; section++)
		if (section != METRICS)
			end = add_section(end, command, section);
	add_section(metrics, command, METRICS);
	add_negatives(add_section(hidden, command, HIDDEN), names);
	code = command__words(&argp, argc, argv, ARGP_IN_ORDER, NULL);
	if (code)
		return code;
	pr_err("%s: cannot be read", log__value(argv[1]));
	return EXIT_USAGE;
}
