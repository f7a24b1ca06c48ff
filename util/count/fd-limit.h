/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limit on open files. It is usually 1024, and each event needs one file for each CPU or
 * thread.
 */
#ifndef PSTAT_COUNT_FD_LIMIT_H
#define PSTAT_COUNT_FD_LIMIT_H

#include <stdint.h>

/*
 * Makes room for @more open files in addition to those that are open now: raises the soft limit to
 * the hard limit, and raises the hard limit too if the user may do that. Where the limits allow it,
 * adds ample room for the other files that a count opens. Returns 0, or -EMFILE if even the minimum
 * does not fit. Then *@needed is the limit that would be enough, and *@allowed the limit in force.
 */
int fd_limit__make_room(uint64_t more, uint64_t *needed, uint64_t *allowed);

/* Restore the original limit around a fork, for the child. Open no file in between. */
void fd_limit__hide(void);
void fd_limit__show(void);

#endif
