// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/row-value.h"

#include <inttypes.h>

#include "util/base/clock.h"
#include "util/base/decimal.h"
#include "util/base/strbuf.h"
#include "util/report/column.h"

const void *row_value__member(const struct column *column, const void *row)
{
	return (const char *)row + column->offset;
}

uint64_t row_value__count(const struct column *column, const void *row)
{
	if (column->size == sizeof(uint64_t))
		return *(const uint64_t *)row_value__member(column, row);
	return *(const uint32_t *)row_value__member(column, row);
}

void row_value__add_seconds(struct strbuf *sb, uint64_t ns)
{
	strbuf__addf(sb, "%" PRIu64 ".%09" PRIu64, (uint64_t)(ns / NSEC_PER_SEC),
		     (uint64_t)(ns % NSEC_PER_SEC));
}

bool row_value__is_text(const struct column *column)
{
	return column->kind == COLUMN_TEXT || column->kind == COLUMN_CHARS ||
	       column->kind == COLUMN_WORD || column->kind == COLUMN_MADE;
}

const char *row_value__text(const struct column *column, const void *row, struct strbuf *made)
{
	const char *text;

	strbuf__reset(made);
	switch (column->kind) {
	case COLUMN_WORD:
		return column->word;
	case COLUMN_CHARS:
		return row_value__member(column, row);
	case COLUMN_TEXT:
		text = *(const char *const *)row_value__member(column, row);
		return text ? text : "";
	case COLUMN_BOOL:
		return *(const bool *)row_value__member(column, row) ? "true" : "false";
	case COLUMN_COUNT:
		strbuf__addf(made, "%" PRIu64, row_value__count(column, row));
		break;
	case COLUMN_SHARE:
		decimal__add(made, *(const double *)row_value__member(column, row), 2);
		break;
	case COLUMN_DECIMAL:
		decimal__add(made, *(const double *)row_value__member(column, row),
			     column->decimals);
		break;
	case COLUMN_SECONDS:
		row_value__add_seconds(made, row_value__count(column, row));
		break;
	default:
		column->add(row, made);
		break;
	}
	return made->text;
}

bool row_value__exists(const struct column *column, const void *row)
{
	struct strbuf made = STRBUF_INIT;
	bool is_empty;

	if (column->has || !column->optional)
		return !column->has || column->has(row);
	if (column->kind == COLUMN_COUNT)
		return row_value__count(column, row);
	is_empty = !*row_value__text(column, row, &made) && !strbuf__failed(&made);
	strbuf__free(&made);
	return !is_empty;
}

bool row_value__is_in(const struct column *column, unsigned int output, const void *row)
{
	return column->in & output && row_value__exists(column, row);
}
