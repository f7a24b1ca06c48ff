/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The folders of cgroups. Users may nest cgroups without end: paths can be longer than the PATH_MAX that one system call takes, and a tree
 * deeper than there are file descriptors.
 */
#ifndef PSTAT_MACHINE_CGROUP_DIR_H
#define PSTAT_MACHINE_CGROUP_DIR_H

/* Longer paths are left out of lists: a list holds the whole path of each cgroup. */
#define CGROUP_PATH_MOST 65536

struct cgroup_list;

/* Opens the folder @path below @mount in steps that system calls take. A file descriptor (O_RDONLY) or -errno. */
int cgroup_dir__open(const char *mount, const char *path);

/*
 * Adds the root ("/") and all cgroups below @mount to the empty @list, each one after the cgroup that it is in, and neighbours in the order of
 * their names. One folder is open at a time. Counts those that were left out in @list->too_long. 0 or -errno.
 */
int cgroup_dir__list(const char *mount, struct cgroup_list *list);

#endif
