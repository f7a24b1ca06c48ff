// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/outliers.h"

#include <errno.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/decimal.h"
#include "util/base/number.h"
#include "util/base/reason.h"

/* The size of a buffer for the digits of VALUE and the terminating NUL. */
#define MOST_DIGITS 24

static const struct {
	const char *name;
	uint64_t ns;
} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC } };

static int parse_percentile(const char *word, size_t len, struct outlier_spec *spec,
			    struct strbuf *why)
{
	double percent = decimal__parse(word, len);

	/* the last two comparisons are false for NaN */
	if (len && strspn(word, "0123456789.") >= len && percent > 0.0 && percent < 100.0) {
		spec->by_percentile = true;
		spec->share = percent / 100.0;
		return 0;
	}
	return reason__set(
		why, -EINVAL,
		"p%.*s is not a percentile: write p and a number between 0 and 100, as in p99.9",
		(int)len, word);
}

/* Returns 0 and sets *@ns, or -EINVAL if @word is not a unit. */
static int parse_unit(const char *word, size_t len, uint64_t *ns)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) == len && !memcmp(units[i].name, word, len)) {
			*ns = units[i].ns;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_value(const char *word, size_t len, struct outlier_spec *spec, struct strbuf *why)
{
	size_t digits = strspn(word, "0123456789");
	char number[MOST_DIGITS] = "";
	uint64_t factor = 1;

	digits = digits < len ? digits : len;
	spec->has_unit = digits < len;
	if (digits && digits < sizeof(number))
		memcpy(number, word, digits);
	if (number__parse_uint(number, 0, UINT64_MAX, &spec->above) ||
	    (spec->has_unit && parse_unit(word + digits, len - digits, &factor)) ||
	    __builtin_mul_overflow(spec->above, factor, &spec->above)) {
		return reason__set(why, -EINVAL,
				   "'%.*s' is neither a whole number, as in 50000, nor a time, as "
				   "in 50us, nor a percentile, as in p99.9",
				   (int)len, word);
	}
	return 0;
}

int outlier_spec__parse(const char *text, struct outlier_spec *spec, const char **event,
			struct strbuf *why)
{
	size_t len = strcspn(text, ",");

	*event = text[len] ? text + len + 1 : NULL;
	if (*event && !**event)
		return reason__set(why, -EINVAL, "there is no event after the comma");
	return *text == 'p' ? parse_percentile(text + 1, len - 1, spec, why) :
			      parse_value(text, len, spec, why);
}

uint64_t outlier_sums__balance(struct outlier_sums *sums)
{
	uint64_t known = sums->streamed + sums->suppressed + sums->lost;
	uint64_t missing = sums->passed > known ? sums->passed - known : 0;

	sums->lost += missing;
	sums->passed = known + missing;
	return missing;
}
