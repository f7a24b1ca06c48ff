// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/syscall-names.h"

#include <asm/unistd.h>
#include <stddef.h>

/* these headers may define some of the names below again */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const char *const names[SYSCALL_NAMES_END] = {
	/*
	 * System calls that are missing in the headers of Debian 12 (Linux 6.1). System calls since
	 * Linux 5.1 have the same number on all architectures.
	 */
	[451] = "cachestat",	     [452] = "fchmodat2",	 [453] = "map_shadow_stack",
	[454] = "futex_wake",	     [455] = "futex_wait",	 [456] = "futex_requeue",
	[457] = "statmount",	     [458] = "listmount",	 [459] = "lsm_get_self_attr",
	[460] = "lsm_set_self_attr", [461] = "lsm_list_modules", [462] = "mseal",
	[463] = "setxattrat",	     [464] = "getxattrat",	 [465] = "listxattrat",
	[466] = "removexattrat",     [467] = "open_tree_attr",	 [468] = "file_getattr",
	[469] = "file_setattr",
/* made by the Makefile from the headers of the C library: [__NR_read] = "read", … */
#include "util/machine/scope/syscall-names.inc"
};
#pragma GCC diagnostic pop

const char *syscall_names__of(int nr)
{
	return nr >= 0 && nr < SYSCALL_NAMES_END ? names[nr] : NULL;
}
