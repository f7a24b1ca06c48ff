// SPDX-License-Identifier: GPL-2.0-only
/*
 * Abbreviations of long options. getopt(3) accepts the beginning of a name if no other name begins
 * with it. pstat has options that perf does not have, so --out could mean --output or --outliers.
 * In scripts that were written for perf it means --output. stat_words__expand() therefore replaces
 * a word by the full name if exactly one option of perf begins with it, before argp sees the word.
 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"

/* The long options that perf stat does not have. */
static const char *const own_names[] = {
	"events-dir", "cgroup-follow", "follow",       "per-prog", "no-calibrate", "hist",
	"outliers",   "packet",	       "outlier-rate", "top",	   "metrics-file", "version",
};

/* The result of looking up an abbreviation in the tables of options. */
struct found {
	const struct argp_option *option; /* the exact match, or an option of perf that begins so */
	bool exact;
	int nr; /* options of perf that begin with it */
};

static bool is_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own_names) / sizeof(own_names[0]); i++)
		if (!strcmp(name, own_names[i]))
			return true;
	return false;
}

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

static void find_name(const struct argp *argp, const char *name, size_t len, struct found *found)
{
	for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
		if (found->exact || !option->name || strncmp(option->name, name, len) != 0)
			continue;
		found->exact = !option->name[len];
		if (!found->exact && is_own(option->name))
			continue;
		found->option = option;
		found->nr++;
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		find_name(child->argp, name, len, found);
}

static const struct argp_option *find_letter(const struct argp *argp, char letter)
{
	const struct argp_option *found = NULL;

	for (const struct argp_option *option = argp->options; option && !is_end(option); option++)
		if (option->key == letter)
			return option;
	for (const struct argp_child *child = argp->children; !found && child && child->argp; child++)
		found = find_letter(child->argp, letter);
	return found;
}

static bool takes_value(const struct argp_option *option)
{
	return option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* Is the value of the last of these letters the next word? */
static bool letters_take_next(const struct argp *argp, const char *letters)
{
	for (; *letters; letters++) {
		const struct argp_option *option = find_letter(argp, *letters);

		if (option && option->arg)
			return takes_value(option) && !letters[1];
	}
	return false;
}

/*
 * Replaces a word. The new one lives as long as @options, whose values may point into it. Returns
 * 0, or -1 without memory.
 */
static int replace(char **word, const char *name, size_t len, struct stat_options *options)
{
	char **words = reallocarray(options->expanded, (size_t)options->nr_expanded + 1, sizeof(*words));
	char *expanded;

	if (!words)
		return -1;
	options->expanded = words;
	if (asprintf(&expanded, "--%s%s", name, *word + 2 + len) < 0)
		return -1;
	words[options->nr_expanded++] = expanded;
	*word = expanded;
	return 0;
}

int stat_words__expand(int argc, char **argv, struct stat_options *options, const struct argp **argp)
{
	const struct argp *all = &stat_words_all_argp;

	*argp = &stat_words_argp;
	for (int i = 1; i < argc; i++) {
		struct found found = {};
		size_t len;

		if (argv[i][0] != '-' || !argv[i][1] || !strcmp(argv[i], "--"))
			break;
		if (argv[i][1] != '-') {
			i += letters_take_next(all, argv[i] + 1);
			continue;
		}
		len = strcspn(argv[i] + 2, "=");
		find_name(all, argv[i] + 2, len, &found);
		if (!found.exact || (found.option->key & OPT_NEGATED))
			*argp = all;
		if (!found.exact && found.nr == 1 && replace(&argv[i], found.option->name, len, options))
			return command__out_of_memory();
		if ((found.exact || found.nr == 1) && takes_value(found.option) && !strchr(argv[i], '='))
			i++;
	}
	return 0;
}
