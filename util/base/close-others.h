/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_CLOSE_OTHERS_H
#define PSTAT_BASE_CLOSE_OTHERS_H

/*
 * For child processes: closes all fds >= @from, except the @nr fds in @kept. Entries of -1 in @kept
 * are ignored.
 */
void close_others(int from, const int *kept, int nr);

#endif
