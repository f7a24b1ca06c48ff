/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes reports and messages. While pstat counts, SIGINT, SIGTERM and SIGHUP are blocked, so a
 * plain write to a pipe that nobody reads would wait without reacting to them.
 */
#ifndef PSTAT_BASE_REPORT_WRITE_H
#define PSTAT_BASE_REPORT_WRITE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes @len bytes to @file and flushes it. Returns 0; -EINTR if @file accepts no more data
 * although one of these signals has been pending for 50 ms (part of the text may have been written,
 * and the signal stays pending); or another -errno.
 */
int report_write(FILE *file, const char *text, size_t len);

#endif
