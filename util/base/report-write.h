/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes reports and messages. While pstat counts, SIGINT, SIGTERM and SIGHUP are blocked, so these
 * signals could not end a plain write to a pipe that nobody reads.
 */
#ifndef PSTAT_BASE_REPORT_WRITE_H
#define PSTAT_BASE_REPORT_WRITE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes @len bytes to @file and flushes @file. Returns 0 or -errno. Returns -EINTR if SIGINT,
 * SIGTERM or SIGHUP has been pending for 50 ms, and @file accepts no more data. In that case, a
 * part of the text may have been written, and the signal stays pending.
 */
int report_write(FILE *file, const char *text, size_t len);

#endif
