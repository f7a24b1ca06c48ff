// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets argp print the texts of --help and --usage, and the messages about unknown or invalid
 * options.
 */
#include <argp.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/options/option-words.h"
#include "util/base/log.h"

/*
 * The smallest key that argp gets for an option without a letter (KEY_LONG), and the smallest key
 * for a negative form, --no-NAME (KEY_NEGATIVE). argp prints the key of an option as its letter
 * only if the key is at most 0xff.
 */
#define KEY_LONG 0x100
#define KEY_NEGATIVE 0x1000

static const struct {
	const char *of[OPTION_COMMAND_NR]; /* indexed by enum option_command */
	int group;
} headings[SECTION_NR] = {
	[WHAT] = { { "What to count:", "What to sample:", "What to count:" }, 1 },
	[WHOM] = { { "Targets (default: COMMAND; without a command, all CPUs until SIGINT):",
		     "Targets (default: COMMAND; without a command, all CPUs until SIGINT):",
		     "Targets (default: COMMAND; without a command, all CPUs until SIGINT):" },
		   2 },
	[ROWS] = { { "Rows (default: one row for everything):", NULL,
		     "Labels (default: one sample for everything):" },
		   3 },
	[WHEN] = { { "When and how often:", "When:", "When and how often:" }, 4 },
	[METRICS] = { { "Metrics:" }, 5 },
	[SHOW] = { { "How to show it:", "How to show it:", "Where the metrics go:" }, 6 },
	[ELSE] = { { "Other options:" }, -1 },
};

static const char stat_doc[] =
	"Count performance events of commands, tasks, CPUs, or BPF programs.\n\n"
	"Commands (`pstat COMMAND --help` prints the options of each):\n"
	"  stat       count events; the default: `pstat ls` means `pstat stat ls`\n"
	"  profile    show where in the code events occur\n"
	"  export     serve counts as Prometheus metrics\n"
	"  list       list the events and metrics of this machine\n"
	"  progs      list the loaded BPF programs\n"
	"  why        find out why the kernel refuses events\n"
	"  compare    find out whether new counts are worse than old ones\n"
	"  help       show the manual page of a command\n"
	"  version    print the version\n\n"
	"Examples:\n"
	"  pstat ls                                count the default events of `ls`\n"
	"  pstat -e cycles,instructions -p 1234    count two events for a process\n"
	"  pstat -r 5 make                         the mean of five runs, and its error\n"
	"  pstat -x, -I 1000 -p 1234               a process, as CSV (-j: JSON)\n"
	"  pstat -a -I 1000                        count all CPUs, every second\n"
	"  pstat -b 42 -e run_cnt,cycles           count the runs of BPF program 42\n\v"
	"With -b and --scope, pstat counts from the beginning to the end of each run of the "
	"programs or scopes, in all processes; -p, -t, -C and -G select some of these runs. If "
	"COMMAND is given, it only determines how long pstat counts.\n";

static const char profile_doc[] =
	"Sample events, and print the functions, source lines or stacks in which they occur.\n\n"
	"Examples:\n"
	"  pstat profile -- make                          the functions of a command\n"
	"  pstat profile -p 1234 --lines --timeout 5000   the source lines of a process\n"
	"  pstat profile --folded -o stacks -- make       stacks for a flame graph\n"
	"  pstat profile -b 42 --annotate -- sleep 10     the source of a BPF program\n\v"
	"Stacks include functions of user programs only if these keep frame pointers. With -b, "
	"pstat keeps only samples in these BPF programs and in the functions that they call, and "
	"stops when COMMAND ends.\n";

static const char export_doc[] =
	"Export running totals of events as Prometheus metrics.\n\n"
	"Examples:\n"
	"  pstat export -a -e cycles                serve http://127.0.0.1:9736/metrics\n"
	"  pstat export --listen unix:/run/pstat.sock -b all --follow -e cycles\n"
	"  pstat export --textfile /var/lib/node_exporter/pstat.prom -I 15000 -a\n"
	"  pstat export --once -a -e cs -- sleep 1  count for a second, and print\n\v"
	"If COMMAND is given, pstat runs it, and stops counting when it ends. Otherwise, it counts "
	"until a signal ends it.\n";

/* The help texts of options that have a different effect in `pstat export`. */
static const struct {
	const char *name, *help;
} export_helps[] = {
	{ "interval-print", "with --textfile: write the file every MS milliseconds; with --once "
			    "and without COMMAND: count for MS milliseconds; default: 1000" },
	{ "top", "export only the N cgroups, programs, scopes or threads with the largest counts, "
		 "and the sum of the others" },
	{ "per-thread", "one sample per thread of -p or -t" },
	{ "no-aggr", "one sample per CPU" },
	{ "hist", "with -b or --scope: a histogram of the counts of EVENT per run; default: the "
		  "first event" },
};

static const char *help_of(const struct option_row *row, enum option_command of)
{
	const char *help = option_row__help(row, of);

	for (size_t i = 0; of == OF_EXPORT && i < sizeof(export_helps) / sizeof(export_helps[0]);
	     i++)
		if (help && !strcmp(export_helps[i].name, row->name))
			return export_helps[i].help;
	return help;
}

static struct argp_option *add_section(struct argp_option *to, enum option_command of,
				       enum option_section section)
{
	const char *heading = headings[section].of[of];

	if (heading)
		*to++ = (struct argp_option){ .doc = heading, .group = headings[section].group };
	for_each_option_row(row) {
		const char *help = help_of(row, of);
		int flags = row->flags & OPTIONAL ? OPTION_ARG_OPTIONAL : 0;

		if (help && row->section == section)
			*to++ = (struct argp_option){
				.name = row->name,
				.key = row->letter ?: KEY_LONG + (int)(row - option_rows),
				.arg = row->arg,
				.flags = flags | (section == HIDDEN ? OPTION_HIDDEN : 0),
				.doc = help,
				.group = headings[section].group,
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

/*
 * Ignores an option, because option_words__read() has already stored the valid options. Stops at a
 * word that is not an option.
 */
static error_t accept_word(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key == ARGP_KEY_ARG)
		state->next = state->argc;
	return key >= ARGP_KEY_INIT ? ARGP_ERR_UNKNOWN : 0;
}

int option_words__explain(enum option_command command, int argc, char **argv)
{
	static const char *const docs[OPTION_COMMAND_NR] = { stat_doc, profile_doc, export_doc };
	struct argp_option shown[OPTION_ROWS_MAX + SECTION_NR] = {}, *end = shown;
	struct argp_option hidden[2 * OPTION_ROWS_MAX] = {};
	char names[OPTION_ROWS_MAX][OPTION_NAME_MAX];
	int code;
	const struct argp of_hidden = { .options = hidden, .parser = accept_word };
	const struct argp_child children[] = {
		{ &of_hidden, 0, NULL, 0 },
		{ 0 },
	};
	const struct argp argp = {
		.options = shown,
		.parser = accept_word,
		.args_doc = "[--] [COMMAND [ARG...]]",
		.doc = docs[command],
		.children = command == OF_STAT ? children : NULL,
	};

	for (enum option_section section = WHAT; section < SECTION_NR; section++)
		end = add_section(end, command, section);
	add_negatives(add_section(hidden, command, HIDDEN), names);
	code = command__words(&argp, argc, argv, ARGP_IN_ORDER, NULL);
	if (code)
		return code;
	pr_err("%s: cannot be read", log__value(argv[1]));
	return EXIT_USAGE;
}
