/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control groups by the names that users give them: paths below the mount of the hierarchy that perf events know, which is
 * v1's perf_event where it is mounted, and else v2's.
 */
#ifndef PSTAT_MACHINE_CGROUP_H
#define PSTAT_MACHINE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;
struct sysroots;

/* Held open: the fd stays good when the directory is removed. */
struct cgroup {
	char *name;  /* as given */
	char *path;  /* below the mount, without "//", "/./" and "/../": "" for the root, else "/a/b" */
	int fd;	     /* of its directory, for perf_event_open(2) with PERF_FLAG_PID_CGROUP; -1: let go */
	uint64_t id; /* as the kernel and BPF know it: no other group of the hierarchy has had it since boot */
	bool v1;     /* of the perf_event hierarchy; else of v2's */
};

/* Where the hierarchy is mounted. */
struct cgroup_mount {
	char *dir;
	bool v1;
};

/* 0 and @mount; -ENODEV when none is mounted (@roots->procfs/mounts tells), or another -errno, with the reason added to @why. */
int cgroup_mount__find(const struct sysroots *roots, struct cgroup_mount *mount, struct strbuf *why);
void cgroup_mount__free(struct cgroup_mount *mount);

/*
 * 0 and *@cgroup; -ENOENT and the like when the hierarchy has no group @name, or ".." in it leads out of the hierarchy, -ENOTDIR when
 * that is something else, or another -errno, with the reason added to @why; -ENOMEM, without it.
 */
int cgroup__open(const struct cgroup_mount *mount, const char *name, struct cgroup **cgroup, struct strbuf *why);
/* Returns the path of the group @name, as struct cgroup has it, or NULL without memory. The caller frees it. */
char *cgroup__path(const char *name);
/* 0 and *@id of the group @name; -errno. */
int cgroup__find_id(const struct cgroup_mount *mount, const char *name, uint64_t *id);
/* Is the mounted group the root of its hierarchy? In a cgroup namespace, or with a part of it mounted, there are groups above. */
bool cgroup_mount__is_whole(const struct cgroup_mount *mount);
void cgroup__close(struct cgroup *cgroup);

/* What knows a group by its id needs no open file for it. */
void cgroup__let_go(struct cgroup *cgroup);

#endif
