// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat compare: compares two files that --save wrote, and decides whether the counts in the second
 * file are worse.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/compare/compare-print.h"
#include "builtin/output-file.h"
#include "util/base/log.h"
#include "util/base/number.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/report/compare/baseline-file.h"
#include "util/report/compare/baseline.h"
#include "util/report/compare/compare.h"
#include "util/report/compare/hyperfine.h"

struct words {
	struct compare_format format;
	struct compare_spec spec;
	bool strict;
	const char *hyperfine; /* the file of --hyperfine; NULL: not given */
	const char *output;
	const char *paths[2];
	int nr_paths;
	int code; /* the exit code after reporting an error; 0: no error */
};

enum { KEY_FAIL_OVER = 0x100, KEY_STRICT, KEY_SEED, KEY_MARKDOWN, KEY_HYPERFINE };

static const struct argp_option option_list[] = {
	{ "fail-over", KEY_FAIL_OVER, "EVENT:PERCENT%[,...]", 0,
	  "exit with status 100 if one of these events is worse by more than this", 0 },
	{ "strict", KEY_STRICT, NULL, 0,
	  "exit with status 101 if it cannot be decided whether an event is worse", 0 },
	{ "seed", KEY_SEED, "N", 0, "seed of the random numbers of the bootstrap; default: 1", 0 },
	{ "field-separator", 'x', "SEP", 0, "print CSV with this separator", 0 },
	{ "json", 'j', NULL, 0, "print one JSON object per line", 0 },
	{ "markdown", KEY_MARKDOWN, NULL, 0, "print a table in Markdown", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE instead of standard output", 0 },
	{ "hyperfine", KEY_HYPERFINE, "FILE", 0,
	  "also write the elapsed times in the format of hyperfine --export-json", 0 },
	{ 0 },
};

static void take_limits(struct words *words, const char *text)
{
	struct strbuf why = STRBUF_INIT;
	int err = compare_spec__parse(&words->spec, text, &why);

	if (err) {
		pr_err("--fail-over: %s", reason__text(&why, err));
		words->code = err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
	}
	strbuf__free(&why);
}

static bool take_option(void *to, int key, char *arg)
{
	struct words *words = to;

	switch (key) {
	case KEY_FAIL_OVER:
		take_limits(words, arg);
		break;
	case KEY_STRICT:
		words->strict = true;
		break;
	case KEY_SEED:
		if (number__parse_uint(arg, 0, UINT64_MAX, &words->spec.seed)) {
			pr_err("--seed %s: the seed must be a whole number from 0 to "
			       "18446744073709551615",
			       arg);
			words->code = EXIT_USAGE;
		}
		break;
	case 'x':
		words->format.separator = strcmp(arg, "\\t") ? arg : "\t";
		break;
	case 'j':
		words->format.json = true;
		break;
	case KEY_MARKDOWN:
		words->format.markdown = true;
		break;
	case 'o':
		words->output = arg;
		break;
	case KEY_HYPERFINE:
		words->hyperfine = arg;
		break;
	default:
		return false;
	}
	return true;
}

static void take_word(void *to, char *word, struct argp_state *state)
{
	struct words *words = to;

	if (words->nr_paths == 2)
		argp_error(state, "%s: only two files can be compared", word);
	else
		words->paths[words->nr_paths++] = word;
}

static const struct command_words help_words = {
	.options = option_list,
	.take_option = take_option,
	.take_word = take_word,
	.args_doc = "OLD NEW",
	.doc = "Compare two files that `pstat stat --save FILE` wrote, and print for each "
	       "event whether the new runs are worse, better, or within a tolerance.\n\n"
	       "Examples:\n"
	       "  pstat stat -r 30 --save base.json -e instructions:u -- ./bench\n"
	       "  pstat compare base.json new.json\n"
	       "  pstat compare --fail-over instructions:u:0.5% base.json new.json\n",
};

static int load(const char *path, struct baseline **b)
{
	struct strbuf why = STRBUF_INIT;
	int err = baseline__load(path, b, &why);

	if (err)
		pr_err("%s", reason__text(&why, err));
	strbuf__free(&why);
	return err == -EINVAL ? EXIT_USAGE : err ? EXIT_FAILED : 0;
}

/*
 * Writes @text to the file of -o or to standard output. After an error, the file may contain only
 * the beginning of @text. Returns 0, or EXIT_FAILED after reporting the error.
 */
static int print(const struct words *words, const struct strbuf *text)
{
	struct output_file to = { 0 };
	FILE *file = stdout;
	int err = 0;

	if (strbuf__failed(text))
		return command__out_of_memory();
	if (words->output) {
		if (output_file__open(&to, words->output, false))
			return EXIT_FAILED;
		err = output_file__begin(&to);
		file = to.file;
	}
	if (!err && (fputs(text->text, file) < 0 || fflush(file))) {
		err = -errno;
		pr_err("%s: cannot write: %s", words->output ?: "stdout", strerror(-err));
		output_file__failed(&to);
	}
	if (words->output && output_file__close(&to))
		err = -EIO;
	return err ? EXIT_FAILED : 0;
}

static int write_hyperfine(const struct words *words, const struct baseline *old,
			   const struct baseline *new)
{
	const struct baseline *const both[] = { old, new };
	struct strbuf why = STRBUF_INIT;
	int err = hyperfine__save(both, 2, words->hyperfine, &why);

	if (err)
		pr_err("--hyperfine: %s", reason__text(&why, err));
	strbuf__free(&why);
	return err ? EXIT_FAILED : 0;
}

static int run(const struct words *words)
{
	struct baseline *old = NULL, *new = NULL;
	struct strbuf text = STRBUF_INIT;
	int code = load(words->paths[0], &old) ?: load(words->paths[1], &new), written;

	if (!code && words->hyperfine)
		code = write_hyperfine(words, old, new);
	if (!code) {
		code = compare_print__run(old, new, &words->spec, &words->format, words->strict,
					  &text);
		/* if the comparison failed, there is no text: do not change the file of -o */
		written = !code || text.len ? print(words, &text) : 0;
		if (written)
			code = written;
	}
	strbuf__free(&text);
	baseline__free(old);
	baseline__free(new);
	return code;
}

int command__compare(int argc, char **argv)
{
	struct words words = { .spec.seed = COMPARE_SEED };
	int code = command__parse(&help_words, "pstat compare", argc, argv, &words);

	code = code ?: words.code;
	if (!code && words.nr_paths < 2) {
		pr_err("pstat compare needs two files that `pstat stat --save` wrote: the old one "
		       "and the new one");
		code = EXIT_USAGE;
	}
	code = code ?: run(&words);
	compare_spec__free(&words.spec);
	return code;
}
