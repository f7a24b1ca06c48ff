/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses numbers independently of the locale, converts numbers to counts, and scales counts. */
#ifndef PSTAT_BASE_NUMBER_H
#define PSTAT_BASE_NUMBER_H

#include <stdint.h>

/*
 * Parses all of @text as an unsigned number: decimal, hexadecimal (0x) or octal (0). No sign, white
 * space or other text is allowed. Returns 0; -EINVAL if @text is not a number; or -ERANGE if the
 * number does not fit into 64 bits.
 */
int number__parse_u64(const char *text, uint64_t *value);

/*
 * Parses a decimal number in [@min, @max]. Returns 0; -EINVAL if @text is not a number; or -ERANGE
 * if the number is outside the range.
 */
int number__parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/*
 * Parses the argument of an option in the same way as number__parse_uint(), but also skips white
 * space and a plus sign before the digits, as perf does with strtol(3).
 */
int number__parse_option(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/*
 * Converts @value, which must not be negative, to a count. Drops the fraction. If the value is too
 * large, returns UINT64_MAX.
 */
uint64_t number__to_count(double value);

/*
 * Extrapolates @value, which was counted during the time @of, to the time @by. Returns @value * @by
 * / @of, converted by number__to_count(). @of must not be 0.
 */
uint64_t number__scale(uint64_t value, uint64_t by, uint64_t of);

/*
 * Return the smaller or the larger of two values. If one value is NaN, return the other value.
 * These functions replace fmin(3) and fmax(3), because loading libm takes 5 % of the start-up time
 * of `pstat stat`.
 */
double number__min(double a, double b);
double number__max(double a, double b);

#endif
