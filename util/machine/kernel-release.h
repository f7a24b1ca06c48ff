/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's version. pstat uses the version only for facts that it cannot find out by trying. A
 * vendor's kernel may contain features of later versions, so its version does not show which
 * features it has.
 */
#ifndef PSTAT_MACHINE_KERNEL_RELEASE_H
#define PSTAT_MACHINE_KERNEL_RELEASE_H

#include <stdbool.h>

/*
 * Returns whether this kernel is @major.@minor or later. Returns false if the version is
 * unreadable.
 */
bool kernel_release__is_since(int major, int minor);
/* Returns whether @release ("6.12.3-arch1") is @major.@minor or later. */
bool kernel_release__reaches(const char *release, int major, int minor);

#endif
