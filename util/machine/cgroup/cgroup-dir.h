/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directories of cgroups. Users can nest cgroups to any depth. Therefore, the path of a cgroup
 * can be longer than PATH_MAX, the limit for a single system call. The tree of cgroups can also
 * have more levels than a process can have open files.
 */
#ifndef PSTAT_MACHINE_CGROUP_DIR_H
#define PSTAT_MACHINE_CGROUP_DIR_H

/*
 * The maximum length in bytes of the paths that cgroup_dir__list() adds to a list. Cgroups with
 * longer paths are omitted. This limits the memory for the list, which stores the whole path of
 * each cgroup.
 */
#define CGROUP_PATH_MOST 65536

struct cgroup_list;

/*
 * Opens the directory @path below @mount, in several steps if the path is longer than one system
 * call accepts. Returns a file descriptor (O_RDONLY) or -errno.
 */
int cgroup_dir__open(const char *mount, const char *path);

/*
 * Adds the root ("/") and all cgroups below @mount to @list, which must be empty. Each cgroup comes
 * after its parent, and siblings are sorted by name. At most two directories are open at a time.
 * Omits cgroups whose paths are too long, and sets @list->too_long (see cgroup-list.h). Returns 0
 * or -errno.
 */
int cgroup_dir__list(const char *mount, struct cgroup_list *list);

#endif
