// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/kernel-release.h"

#include <stdio.h>
#include <sys/utsname.h>

bool kernel_release__reaches(const char *release, int major, int minor)
{
	int its_major, its_minor;

	return sscanf(release, "%d.%d", &its_major, &its_minor) == 2 &&
	       (its_major > major || (its_major == major && its_minor >= minor));
}

bool kernel_release__is_since(int major, int minor)
{
	struct utsname host;

	return !uname(&host) && kernel_release__reaches(host.release, major, minor);
}
