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
 * Makes all later calls to fd_limit__make_room() leave room for @nr additional files, such as
 * client connections.
 */
void fd_limit__reserve(uint64_t nr);

/*
 * Before a fork, fd_limit__hide() restores the original limit, because the child must not inherit
 * the raised limit. fd_limit__show() raises the limit again. The caller must not open files between
 * these two calls.
 */
void fd_limit__hide(void);
void fd_limit__show(void);

#endif
