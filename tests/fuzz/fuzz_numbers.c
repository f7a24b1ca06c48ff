// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses any string as a number. Integers are compared with those of a slow parser. Accepted
 * fractions and values of --outliers are formatted and parsed again, and the result must be the
 * same.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/decimal.h"
#include "util/base/number.h"
#include "util/base/strbuf.h"
#include "util/count/outliers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Returns 0 and sets *@value, or returns -EINVAL or -ERANGE as in number.h, for digits of @base
 * after a prefix.
 */
static int read_digits(const char *text, unsigned int base, uint64_t *value)
{
	static const char all[] = "0123456789abcdef";
	bool too_large = false;

	*value = 0;
	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		char c = *text >= 'A' && *text <= 'F' ? (char)(*text - 'A' + 'a') : *text;
		const char *digit = memchr(all, c, base);

		if (!digit)
			return -EINVAL;
		too_large |= __builtin_mul_overflow(*value, (uint64_t)base, value);
		too_large |= __builtin_add_overflow(*value, (uint64_t)(digit - all), value);
	}
	return too_large ? -ERANGE : 0;
}

static int read_slowly(const char *text, uint64_t *value)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return read_digits(text + 2, 16, value);
	return read_digits(text, *text == '0' ? 8 : 10, value);
}

static void try_whole(const char *text)
{
	uint64_t value = 0, slow;
	int err = number__parse_u64(text, &value), slow_err = read_slowly(text, &slow);

	if (err != slow_err || (!err && value != slow))
		abort();
	err = number__parse_uint(text, 1, OUTLIER_PACKET_MAX, &value);
	slow_err = read_digits(text, 10, &slow);
	if (!slow_err && (slow < 1 || slow > OUTLIER_PACKET_MAX))
		slow_err = -ERANGE;
	if (err != slow_err || (!err && value != slow))
		abort();
}

/* 20 digits are enough for every double that is a thousandth or larger. */
static void try_fraction(const char *text)
{
	double value = decimal__parse(text, strlen(text)), again;
	struct strbuf written = STRBUF_INIT;

	decimal__add(&written, value, 20);
	again = decimal__parse(written.text, written.len);
	if (fabs(value) >= 1e-3 && fabs(value) < 1e250 && again != value)
		abort();
	if (!isfinite(value) && again != 0)
		abort();
	strbuf__free(&written);
}

static void check_outlier(const char *text, const struct outlier_spec *spec, const char *event)
{
	struct outlier_spec again = { .rate = 0 };
	struct strbuf written = STRBUF_INIT, why = STRBUF_INIT;
	const char *again_event;

	if (event && (event <= text || event >= text + strlen(text) || event[-1] != ','))
		abort();
	if (spec->by_percentile && !(spec->share > 0 && spec->share < 1))
		abort();
	if (spec->by_percentile)
		return;
	strbuf__addf(&written, "%llu%s,time", (unsigned long long)spec->above,
		     spec->has_unit ? "ns" : "");
	if (outlier_spec__parse(written.text, &again, &again_event, &why) ||
	    again.above != spec->above || again.has_unit != spec->has_unit ||
	    strcmp(again_event, "time") != 0)
		abort();
	strbuf__free(&written);
	strbuf__free(&why);
}

static void try_outlier(const char *text)
{
	struct outlier_spec spec = { .rate = 0 };
	struct strbuf why = STRBUF_INIT;
	const char *event;
	int err = outlier_spec__parse(text, &spec, &event, &why);

	if (err ? err != -EINVAL || !why.len : why.len)
		abort();
	if (!err)
		check_outlier(text, &spec, event);
	strbuf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	try_whole(text);
	try_fraction(text);
	try_outlier(text);
	free(text);
	return 0;
}
