/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from text, the same under every locale, and what is computed of counts. */
#ifndef PSTAT_BASE_NUMBER_H
#define PSTAT_BASE_NUMBER_H

#include <stdint.h>

/*
 * The whole of @text as an unsigned number: decimal, 0x hexadecimal or 0 octal; no sign, no white space, no rest.
 * 0; -EINVAL when it is no such number, -ERANGE when it does not fit.
 */
int number__parse_u64(const char *text, uint64_t *value);

/* Decimal only, in [@min, @max]. -EINVAL: not a number; -ERANGE: outside. */
int number__parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/*
 * Parses the number of an option. Like perf, which uses strtol(3), it skips white space and a plus
 * sign before the digits. Otherwise the same as number__parse_uint().
 */
int number__parse_option(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* A value that is not negative as a count, its fraction dropped: the largest count where it is too large for one. */
uint64_t number__to_count(double value);

/* @value * @by / @of, likewise: of what was counted in one time what it is in another. @of is not 0. */
uint64_t number__scale(uint64_t value, uint64_t by, uint64_t of);

#endif
