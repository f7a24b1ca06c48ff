/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds cgroups by the names that users specify. A name is a path below the mount of the hierarchy
 * that perf events use. If the perf_event hierarchy of cgroup v1 is mounted, perf events use it.
 * Otherwise, they use the hierarchy of cgroup v2.
 */
#ifndef PSTAT_MACHINE_CGROUP_H
#define PSTAT_MACHINE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;
struct sysroots;

/* An open cgroup. The fd stays valid even if the directory is removed. */
struct cgroup {
	char *name; /* as the user wrote it */
	/* path below the mount, such as "/a/b", without "//", "/./" or "/../"; "" for the root */
	char *path;
	/* the directory, for perf_event_open(2) with PERF_FLAG_PID_CGROUP; -1: closed */
	int fd;
	/* the kernel's id, which BPF programs also see; not reused in the hierarchy until reboot */
	uint64_t id;
	bool v1; /* the cgroup is in the perf_event hierarchy of v1, not in the hierarchy of v2 */
};

/* The mount of the hierarchy that perf events use. */
struct cgroup_mount {
	char *dir;
	bool v1;
};

/*
 * Finds the mount in @roots->procfs/mounts. Returns 0 and fills in @mount; -ENODEV if no hierarchy
 * that perf events support is mounted; or another -errno. On error, adds the reason to @why.
 */
int cgroup_mount__find(const struct sysroots *roots, struct cgroup_mount *mount,
		       struct strbuf *why);
void cgroup_mount__free(struct cgroup_mount *mount);

/*
 * Opens the cgroup @name. Returns 0 and sets *@cgroup; -ENOENT if the cgroup does not exist, or if
 * ".." in @name leads out of the hierarchy; -ENOTDIR if @name is not a directory; or another
 * -errno. On error, adds the reason to @why, except for -ENOMEM.
 */
int cgroup__open(const struct cgroup_mount *mount, const char *name, struct cgroup **cgroup,
		 struct strbuf *why);
/*
 * Returns the path of the cgroup @name in the form of cgroup->path, or NULL if memory ran out. The
 * caller frees the path.
 */
char *cgroup__path(const char *name);
/* Reads the id of the cgroup @name. Returns 0 or -errno. */
int cgroup__find_id(const struct cgroup_mount *mount, const char *name, uint64_t *id);
/*
 * Returns whether the mount contains the root of the hierarchy. The root can be missing in a cgroup
 * namespace, or if only a part of the hierarchy is mounted.
 */
bool cgroup_mount__is_whole(const struct cgroup_mount *mount);
void cgroup__close(struct cgroup *cgroup);

/* Closes the fd. Afterwards, only the id identifies the cgroup, because its path can be reused. */
void cgroup__close_fd(struct cgroup *cgroup);

#endif
