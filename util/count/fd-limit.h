/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limit on open files (RLIMIT_NOFILE), which is usually 1024. Each event needs an open file for
 * each CPU or for each thread.
 */
#ifndef PSTAT_COUNT_FD_LIMIT_H
#define PSTAT_COUNT_FD_LIMIT_H

#include <stdint.h>

/*
 * Raises the limit so that pstat can open @more additional files for events, and a few other files.
 * Also raises the hard limit if this is necessary and permitted. Returns 0, or -EMFILE if the limit
 * is still too low. After -EMFILE, *@needed is the limit that would be enough, and *@allowed is the
 * hard limit.
 */
int fd_limit__make_room(uint64_t more, uint64_t *needed, uint64_t *allowed);

/*
 * Makes all later calls to fd_limit__make_room() also try to leave room for @nr additional files,
 * such as client connections.
 */
void fd_limit__reserve(uint64_t nr);

/*
 * fd_limit__hide() restores the original limit, and fd_limit__show() raises the limit again. Call
 * the first before a fork, so that the child does not inherit the raised limit, and the second in
 * the parent after the fork. Do not open files between these two calls.
 */
void fd_limit__hide(void);
void fd_limit__show(void);

#endif
