// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/memory-shares.h"

#include <errno.h>
#include <unistd.h>

int memory_shares__take(struct memory_shares *shares, uid_t uid, size_t bytes)
{
	struct memory_share *share;
	int at = 0;

	if (!uid || uid == geteuid())
		return 0;
	while (at < shares->nr && shares->shares[at].uid != uid)
		at++;
	share = &shares->shares[at < MEMORY_SHARE_USERS ? at : MEMORY_SHARE_USERS];
	if (at == shares->nr && at < MEMORY_SHARE_USERS) {
		share->uid = uid;
		shares->nr++;
	}
	if (bytes > MEMORY_SHARE - share->taken)
		return -EDQUOT;
	share->taken += bytes;
	return 0;
}
