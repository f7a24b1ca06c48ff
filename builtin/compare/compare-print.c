// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/compare/compare-print.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/output/row-writer.h"
#include "util/report/compare/baseline.h"
#include "util/report/compare/compare.h"

static bool is_ascii(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static void add_head(const struct compare *c, struct strbuf *text)
{
	strbuf__adds(text, "\n  old: ");
	strbuf__add_clean(text, c->old->target ?: "unknown");
	if (c->old->time)
		strbuf__addf(text, " (%s)", c->old->time);
	strbuf__adds(text, "\n  new: ");
	strbuf__add_clean(text, c->new->target ?: "unknown");
	strbuf__adds(text, "\n\n");
}

static void add_foot(const struct compare *c, struct strbuf *text)
{
	strbuf__addf(text,
		     "\n  Ratios of medians, with 95 %% confidence; bootstrap with seed "
		     "%" PRIu64 "\n",
		     c->seed);
}

void compare_print__add(const struct compare *c, const struct compare_format *format,
			struct strbuf *text)
{
	struct row_writer writer = {
		.format = format->json	    ? &row_json :
			  format->separator ? &row_csv :
			  format->markdown  ? &row_markdown :
					      &row_table,
		.text = text,
		.separator = format->separator,
		.lines = STRBUF_INIT,
	};
	bool is_table = writer.format == &row_table;

	if (is_table)
		add_head(c, text);
	row_writer__begin(&writer, compare_columns);
	row_writer__rows(&writer, compare_columns, c->rows, c->nr, sizeof(*c->rows));
	row_writer__end(&writer);
	if (is_table) {
		compare__add_charts(c, is_ascii(), text);
		add_foot(c, text);
	}
}

static void warn(const struct compare *c)
{
	struct strbuf text = STRBUF_INIT;

	compare__add_differences(c, &text);
	if (text.len)
		pr_warn("the machines or their settings differ, which may explain different "
			"counts\n%s",
			text.text);
	strbuf__free(&text);
	if (c->old->lost_runs || c->new->lost_runs)
		pr_warn("some runs were lost (old: %" PRIu64 ", new: %" PRIu64
			"): the counts do not include them",
			c->old->lost_runs, c->new->lost_runs);
	if (c->has_gaps)
		pr_warn("some counts of the events of --fail-over are missing or multiplexed, as "
			"the verdicts show\ncount fewer events at once");
}

int compare_print__run(const struct baseline *old, const struct baseline *new,
		       const struct compare_spec *spec, const struct compare_format *format,
		       bool strict, struct strbuf *text)
{
	struct strbuf why = STRBUF_INIT;
	struct compare c;
	int err = compare__run(&c, old, new, spec, &why), code = 0;

	if (err) {
		pr_err("%s", reason__text(&why, err));
		code = err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	} else {
		warn(&c);
		compare_print__add(&c, format, text);
		code = c.is_worse ? EXIT_WORSE : strict && c.cannot_tell ? EXIT_CANNOT_TELL : 0;
		compare__free(&c);
	}
	strbuf__free(&why);
	return code;
}
