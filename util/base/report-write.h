/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes reports and messages. While pstat counts, SIGINT, SIGTERM and SIGHUP are blocked, so these
 * signals do not interrupt a plain write to a full pipe. report_write() gives up on a full pipe
 * soon after one of these signals arrives.
 */
#ifndef PSTAT_BASE_REPORT_WRITE_H
#define PSTAT_BASE_REPORT_WRITE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes @len bytes to @file and flushes @file. Returns 0 or -errno. Returns -EINTR if SIGINT,
 * SIGTERM or SIGHUP is pending, and @file then accepts no more data for 50 ms. (After the first
 * such error, later calls no longer wait these 50 ms.) After -EINTR, part of the text may have been
 * written, and the signal is still pending.
 */
int report_write(FILE *file, const char *text, size_t len);

#endif
