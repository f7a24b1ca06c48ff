// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *text, int base, uint64_t *value)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, base);
	if (*end || end == text)
		return -EINVAL;
	if (errno)
		return -errno;
	*value = n;
	return 0;
}

int number__parse_u64(const char *text, uint64_t *value)
{
	return parse(text, 0, value);
}

int number__parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t n;
	int err = parse(text, 10, &n);

	if (err)
		return err;
	if (n < min || n > max)
		return -ERANGE;
	*value = n;
	return 0;
}

int number__parse_option(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	text += strspn(text, " \t\n\v\f\r");
	return number__parse_uint(text + (*text == '+'), min, max, value);
}

uint64_t number__to_count(double value)
{
	return value < 18446744073709551616.0 ? (uint64_t)value : UINT64_MAX;
}

uint64_t number__scale(uint64_t value, uint64_t by, uint64_t of)
{
	return number__to_count((double)value * (double)by / (double)of);
}

double number__min(double a, double b)
{
	return a < b || b != b ? a : b;
}

double number__max(double a, double b)
{
	return a > b || b != b ? a : b;
}
