// SPDX-License-Identifier: GPL-2.0-only
/*
 * Strip charts: each line has the runs of one side, from the smallest value of both sides on the
 * left to the largest on the right. The height of a column shows the number of runs there.
 */
#include <math.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/base/number.h"
#include "util/report/compare/compare.h"

#define WIDTH 60

static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const letters[] = { " ", ".", ".", ":", ":", "o", "o", "O", "O" };
#define HEIGHT ((int)(sizeof(blocks) / sizeof(blocks[0])) - 1)

struct range {
	double low, high;
};

static void widen(struct range *range, const struct sample *sample)
{
	for (int i = 0; i < sample->nr; i++) {
		range->low = number__min(range->low, sample->values[i]);
		range->high = number__max(range->high, sample->values[i]);
	}
}

static void add_strip(struct strbuf *sb, const char *side, const struct sample *sample,
		      const struct range *range, bool ascii)
{
	int runs[WIDTH] = { 0 }, most = 1;

	for (int i = 0; i < sample->nr; i++) {
		double place = (sample->values[i] - range->low) / (range->high - range->low);
		int column = (int)(place * (WIDTH - 1) + 0.5);

		runs[column]++;
		most = runs[column] > most ? runs[column] : most;
	}
	strbuf__addf(sb, "    %s |", side);
	for (int i = 0; i < WIDTH; i++) {
		/* A single run must be visible next to any number of others. */
		int height =
			runs[i] ? 1 + (runs[i] - 1) * (HEIGHT - 1) / (most > 1 ? most - 1 : 1) : 0;

		strbuf__adds(sb, (ascii ? letters : blocks)[height]);
	}
	strbuf__adds(sb, "|\n");
}

void compare__add_charts(const struct compare *c, bool ascii, struct strbuf *sb)
{
	for (int i = 0; i < c->nr; i++) {
		const struct compare_row *row = &c->rows[i];
		struct range range = { INFINITY, -INFINITY };

		widen(&range, &row->result.old);
		widen(&range, &row->result.new);
		if (!row->result.old.nr || !row->result.new.nr || !(range.high > range.low))
			continue;
		strbuf__addf(sb, "\n  %s: ", row->name);
		strbuf__addf(sb, range.low == floor(range.low) ? "%'.0f" : "%.4g", range.low);
		strbuf__adds(sb, " to ");
		strbuf__addf(sb, range.high == floor(range.high) ? "%'.0f" : "%.4g", range.high);
		strbuf__addf(sb, "%s%s\n", *row->unit ? " " : "", row->unit);
		add_strip(sb, "old", &row->result.old, &range, ascii);
		add_strip(sb, "new", &row->result.new, &range, ascii);
	}
}
