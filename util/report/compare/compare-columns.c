// SPDX-License-Identifier: GPL-2.0-only
/* The columns of struct compare_row in each format, and charts of the values. */
#include <math.h>
#include <string.h>

#include "util/base/decimal.h"
#include "util/base/number.h"
#include "util/base/strbuf.h"
#include "util/report/column.h"
#include "util/report/compare/compare.h"

static const struct compare_row *as_row(const void *row)
{
	return row;
}

/* ---- tables: numbers in the format of the locale ---- */

static void add_value(struct strbuf *sb, double value, const char *unit)
{
	if (isnan(value))
		strbuf__addc(sb, '-');
	else if (value == floor(value))
		strbuf__addf(sb, "%'.0f", value);
	else
		strbuf__addf(sb, value >= 100 ? "%'.2f" : "%.4g", value);
	if (!isnan(value) && *unit)
		strbuf__addf(sb, " %s", unit);
}

static void add_old(const void *row, struct strbuf *sb)
{
	add_value(sb, as_row(row)->old, as_row(row)->unit);
}

static void add_new(const void *row, struct strbuf *sb)
{
	add_value(sb, as_row(row)->new, as_row(row)->unit);
}

static void add_ratio(const void *row, struct strbuf *sb)
{
	double ratio = as_row(row)->ratio;

	if (isfinite(ratio))
		strbuf__addf(sb, "%.4f", ratio);
	else
		strbuf__addc(sb, '-');
}

/* Adds the confidence interval of the ratio, or "exact" if the values do not vary. */
static void add_interval(const void *row, struct strbuf *sb)
{
	const struct compare_row *r = as_row(row);

	if (!isfinite(r->ratio) || r->result.gap)
		strbuf__addc(sb, '-');
	else if (sample__is_constant(&r->result.old) && sample__is_constant(&r->result.new))
		strbuf__adds(sb, "exact");
	else if (isfinite(r->low) && isfinite(r->high))
		strbuf__addf(sb, "%.4f - %.4f", r->low, r->high);
	else
		strbuf__addc(sb, '-');
}

/* ---- CSV and JSON: a missing value is an empty field in CSV, and is omitted in JSON ---- */

static bool has_old(const void *row)
{
	return !isnan(as_row(row)->old);
}

static bool has_new(const void *row)
{
	return !isnan(as_row(row)->new);
}

static bool has_ratio(const void *row)
{
	return isfinite(as_row(row)->ratio);
}

static bool has_interval(const void *row)
{
	return isfinite(as_row(row)->low) && isfinite(as_row(row)->high) && has_ratio(row);
}

#define FIELD(name, has, member)                                  \
	static void name(const void *row, struct strbuf *sb)      \
	{                                                         \
		if (has(row))                                     \
			decimal__add(sb, as_row(row)->member, 6); \
	}

FIELD(add_csv_old, has_old, old)
FIELD(add_csv_new, has_new, new)
FIELD(add_csv_ratio, has_ratio, ratio)
FIELD(add_csv_low, has_interval, low)
FIELD(add_csv_high, has_interval, high)

#define ROW(outputs, key, member, ...) COLUMN(outputs, key, struct compare_row, member, __VA_ARGS__)
#define MADE(outputs, key, function, ...) \
	COLUMN_BY(outputs, key, COLUMN_MADE, .add = (function), __VA_ARGS__)
#define NUMBER(key, member, function)                                                \
	{                                                                            \
		.in = IN_JSON, .name = (key), .kind = COLUMN_DECIMAL, .decimals = 6, \
		COLUMN_AT(struct compare_row, member), .has = (function)             \
	}

const struct column compare_columns[] = {
	{ .in = IN_TABLE,
	  .name = "event",
	  .kind = COLUMN_CHARS,
	  COLUMN_AT(struct compare_row, name) },
	MADE(IN_TABLE, "old", add_old, .right = true),
	MADE(IN_TABLE, "new", add_new, .right = true),
	MADE(IN_TABLE, "ratio", add_ratio, .right = true),
	MADE(IN_TABLE, "95 % interval", add_interval),
	{ .in = IN_TABLE,
	  .name = "verdict",
	  .kind = COLUMN_CHARS,
	  COLUMN_AT(struct compare_row, text) },

	MADE(IN_CSV, NULL, add_csv_old),
	MADE(IN_CSV, NULL, add_csv_new),
	ROW(IN_CSV, NULL, unit),
	ROW(IN_CSV, NULL, event),
	MADE(IN_CSV, NULL, add_csv_ratio),
	MADE(IN_CSV, NULL, add_csv_low),
	MADE(IN_CSV, NULL, add_csv_high),
	ROW(IN_JSON, "event", event),
	ROW(IN_JSON, "cgroup", cgroup, .optional = true),
	ROW(IN_JSON, "subject", subject, .optional = true),
	ROW(IN_JSON, "aggregate", aggregate, .optional = true),
	ROW(IN_JSON, "unit", unit),
	NUMBER("old", old, has_old),
	NUMBER("new", new, has_new),
	NUMBER("ratio", ratio, has_ratio),
	NUMBER("low", low, has_interval),
	NUMBER("high", high, has_interval),
	ROW(IN_DATA, "verdict", verdict),
	{ .in = IN_DATA,
	  .name = "tolerance",
	  .kind = COLUMN_DECIMAL,
	  .decimals = 6,
	  COLUMN_AT(struct compare_row, tolerance) },
	ROW(IN_DATA, "decides", decides),
	ROW(IN_DATA, "old-runs", old_runs),
	ROW(IN_DATA, "new-runs", new_runs),
	ROW(IN_DATA, "more-runs", more_runs),
	ROW(IN_CSV, NULL, subject),
	ROW(IN_CSV, NULL, aggregate),
	ROW(IN_CSV, NULL, cgroup),
	{ .in = IN_DATA,
	  .name = "explanation",
	  .kind = COLUMN_CHARS,
	  COLUMN_AT(struct compare_row, text) },
	{ 0 },
};

/* ---- strip charts ---- */

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
		/* a single run is visible even if another position has many runs */
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
