// SPDX-License-Identifier: GPL-2.0-only
/* perf stat's options that are not here. What stands where other options have their help says what to use instead. */
#include <argp.h>
#include <stddef.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"

#define OPT_REFUSED 0x1000 /* the first key, above the keys of stat-words.c */

#define REFUSED(n, name, value, instead)                                  \
	{                                                                 \
		name, OPT_REFUSED + (n), value, OPTION_HIDDEN, instead, 9 \
	}

static const struct argp_option refused_options[] = {
	{ "iostat", OPT_REFUSED + 2, "PORTS", OPTION_HIDDEN | OPTION_ARG_OPTIONAL,
	  "there are no such metrics\nuse -e with the uncore PMUs of the root ports", 9 },
	REFUSED(7, "input", "FILE", "pstat does not record counts\nuse -x or -j with -o, and keep the file"),
	{ 0 }
};

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
	struct raw_options *raw = state->input;

	(void)arg;
	for (const struct argp_option *option = refused_options; option->name; option++) {
		if (option->key == key) {
			raw->refused = raw->refused ?: option;
			return 0;
		}
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp stat_refused_argp = { .options = refused_options, .parser = parse_word };

int settle_refused(const struct raw_options *raw)
{
	if (!raw->refused)
		return 0;
	pr_err("--%s: %s", raw->refused->name, raw->refused->doc);
	return EXIT_USAGE;
}
