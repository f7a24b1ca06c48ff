/* SPDX-License-Identifier: GPL-2.0-only */
/* Which Linux this is: for what no probe tells, as the versions of vendors' kernels say little of what was taken into them. */
#ifndef PSTAT_MACHINE_KERNEL_RELEASE_H
#define PSTAT_MACHINE_KERNEL_RELEASE_H

#include <stdbool.h>

/* Is it @major.@minor or later? Not where it does not say. */
bool kernel_release__is_since(int major, int minor);
/* The same of a release: "6.12.3-arch1". */
bool kernel_release__reaches(const char *release, int major, int minor);

#endif
