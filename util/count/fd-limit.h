/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limit on open files. It is usually 1024, and each event needs one file for each CPU or
 * thread.
 */
#ifndef PSTAT_COUNT_FD_LIMIT_H
#define PSTAT_COUNT_FD_LIMIT_H

#include <stdint.h>

/*
 * Raises the limit for @more open files in addition to those that are open now: the soft limit up
 * to the hard limit, and the hard limit too if the user may raise it. If possible, also leaves room
 * for the other files that pstat opens. Returns 0, or -EMFILE if the limit stays too low. *@needed
 * is then the limit that would be enough, and *@allowed the current limit.
 */
int fd_limit__make_room(uint64_t more, uint64_t *needed, uint64_t *allowed);

/*
 * Makes all later calls to fd_limit__make_room() leave room for @nr additional files, which others
 * make pstat open, such as connections.
 */
void fd_limit__reserve(uint64_t nr);

/*
 * Use these around a fork: they restore the original limit for the child, and raise it again. Open
 * no file in between.
 */
void fd_limit__hide(void);
void fd_limit__show(void);

#endif
