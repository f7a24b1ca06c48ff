/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as text, in and out, the same under every locale unless said otherwise. */
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

#endif
