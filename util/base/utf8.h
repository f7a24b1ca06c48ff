/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_UTF8_H
#define PSTAT_BASE_UTF8_H

#include <stddef.h>

/* The number of bytes of the UTF-8 character at the start of @s, which has @len bytes. 0 when there is no valid character. */
size_t utf8__len(const char *s, size_t len);

#endif
