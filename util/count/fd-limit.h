/* SPDX-License-Identifier: GPL-2.0-only */
/* How many files this process may have open: the usual limit is 1024, and each event needs one on each CPU or thread. */
#ifndef PSTAT_COUNT_FD_LIMIT_H
#define PSTAT_COUNT_FD_LIMIT_H

#include <stdint.h>

/*
 * Makes room for @more files besides those that are open: raises the soft limit up to the hard one, and that too where the
 * user may. What else a count opens gets ample room where the limit allows it.
 * 0; -EMFILE when not even the least would fit, *@needed being what would be enough and *@allowed the limit that stays.
 */
int fd_limit__make_room(uint64_t more, uint64_t *needed, uint64_t *allowed);

/* Around a fork: between the two the limit is what it was before room was made, as the child is to have it. No file is opened there. */
void fd_limit__hide(void);
void fd_limit__show(void);

#endif
