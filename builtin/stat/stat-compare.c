// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles --ab and --fail-over, and divides a single repetition into intervals if its counts are
 * saved or compared.
 */
#include <errno.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"

#define RUNS_OF_AB 10
/* The length of the intervals into which pstat divides a single repetition. */
#define INTERVAL_NS (25 * NSEC_PER_MSEC)

void stat_compare__take_ab(struct raw_options *raw, const char *text, bool on)
{
	struct stat_compare *compare = &raw->to->compare;

	(void)on;
	if (compare->nr_ab < 2)
		compare->ab[compare->nr_ab] = text;
	compare->nr_ab++;
}

int stat_compare__check_fail_over(struct raw_options *raw, const char *text)
{
	struct strbuf why = STRBUF_INIT;
	int err = compare_spec__parse(&raw->to->compare.spec, text, &why);

	if (err)
		pr_err("--fail-over %s", reason__text(&why, err));
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

int stat_compare__resolve_ab(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct stat_compare *compare = &options->compare;

	if (compare->nr_ab != 2) {
		pr_err("--ab compares two commands: give --ab twice");
		return EXIT_USAGE;
	}
	if (options->count.argv) {
		pr_err("%s: --ab already names the commands to count: omit this command",
		       log__value(options->count.argv[0]));
		return EXIT_USAGE;
	}
	for (int i = 0; i < 2; i++) {
		char **argv = compare->ab_argv[i];

		argv[0] = (char *)"sh";
		argv[1] = (char *)"-c";
		argv[2] = (char *)compare->ab[i];
	}
	options->count.argv = compare->ab_argv[0];
	if (!option_words__given(raw, "-r"))
		options->runs = RUNS_OF_AB;
	return 0;
}

/*
 * A single repetition gives only one value for each event, which does not show how much the event's
 * count varies. If pstat counts runs of BPF programs or scopes, it can divide the repetition into
 * intervals without changing the total.
 */
void stat_compare__resolve_intervals(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct stat_config *cfg = &options->count;

	if (!(cfg->progs || cfg->scopes) || options->runs != 1 || cfg->interval_ns)
		return;
	options->hides_intervals = true;
	cfg->interval_ns = INTERVAL_NS;
}
