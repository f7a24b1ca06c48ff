// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/task/pid-ns.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "util/base/sysfs.h"

/* PROC_PID_INIT_INO of include/linux/proc_ns.h */
#define FIRST_PID_NS 0xEFFFFFFCU

int pid_ns__find(const struct sysroots *roots, pid_t tid, struct pid_ns *ns)
{
	char path[PATH_MAX];
	struct stat st;

	if (tid)
		snprintf(path, sizeof(path), "%s/%d/ns/pid", sysroots__tasks(roots), (int)tid);
	else
		snprintf(path, sizeof(path), "%s/self/ns/pid", roots->procfs);
	if (stat(path, &st))
		return -errno;
	*ns = (struct pid_ns){ .dev = st.st_dev, .ino = st.st_ino };
	return 0;
}

bool pid_ns__is_first(const struct pid_ns *ns)
{
	return ns->ino == FIRST_PID_NS;
}
