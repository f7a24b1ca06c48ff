/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control groups by the names that users give them: paths below the mount of the hierarchy that perf events know, which is
 * v1's perf_event where it is mounted, and else v2's.
 */
#ifndef PSTAT_MACHINE_CGROUP_H
#define PSTAT_MACHINE_CGROUP_H

struct strbuf;
struct sysroots;

/* Held open: the fd stays good when the directory is removed. */
struct cgroup {
	char *name; /* as given */
	int fd;	    /* of its directory, for perf_event_open(2) with PERF_FLAG_PID_CGROUP */
};

/*
 * 0 and *@cgroup; -ENODEV when no such hierarchy is mounted (@roots->procfs/mounts tells), -ENOENT and the like when it
 * has no group @name, -ENOTDIR when that is something else, -ENOMEM; the reason is added to @why.
 */
int cgroup__open(const struct sysroots *roots, const char *name, struct cgroup **cgroup, struct strbuf *why);
void cgroup__close(struct cgroup *cgroup);

#endif
