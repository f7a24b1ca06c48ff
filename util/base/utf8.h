/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_UTF8_H
#define PSTAT_BASE_UTF8_H

#include <stddef.h>

/*
 * Returns the number of bytes in the UTF-8 character at the start of @s, or 0 if @len is 0 or this
 * character is not valid UTF-8. @len is the length of @s in bytes.
 */
size_t utf8__len(const char *s, size_t len);

#endif
