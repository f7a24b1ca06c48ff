/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits the memory that pstat uses for the files of each user, so that one user's files cannot use
 * up the memory for other users' files.
 */
#ifndef PSTAT_MACHINE_MEMORY_SHARES_H
#define PSTAT_MACHINE_MEMORY_SHARES_H

#include <stddef.h>
#include <sys/types.h>

#define MEMORY_SHARE (256 << 20) /* bytes for each user */
#define MEMORY_SHARE_TEXT "256 MB"
#define MEMORY_SHARE_USERS 8 /* any further users together have one share */

struct memory_shares {
	struct memory_share {
		uid_t uid;
		size_t taken;
	} shares[MEMORY_SHARE_USERS + 1];
	int nr;
};

/*
 * Reserves @bytes bytes in the share of the user @uid. There is no limit for files of root and of
 * the effective user. If the share has less than @bytes bytes left, reserves nothing and returns
 * -EDQUOT. Otherwise returns 0.
 */
int memory_shares__take(struct memory_shares *shares, uid_t uid, size_t bytes);

#endif
