/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory that pstat spends on the files of each user: what one user's files need is not at the expense of the others'. */
#ifndef PSTAT_MACHINE_MEMORY_SHARES_H
#define PSTAT_MACHINE_MEMORY_SHARES_H

#include <stddef.h>
#include <sys/types.h>

#define MEMORY_SHARE (256 << 20) /* bytes for each user */
#define MEMORY_SHARE_TEXT "256 MB"
#define MEMORY_SHARE_USERS 8 /* all further users have one share together */

struct memory_shares {
	struct memory_share {
		uid_t uid;
		size_t taken;
	} shares[MEMORY_SHARE_USERS + 1];
	int nr;
};

/* Takes @bytes from the share of @uid. Files of root and of this user are not bounded. 0, or -EDQUOT and nothing is taken. */
int memory_shares__take(struct memory_shares *shares, uid_t uid, size_t bytes);

#endif
