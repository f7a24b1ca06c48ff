/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control groups as --for-each-cgroup names them, with perf's rules: names between commas, an empty one is the root, and what stands
 * there twice counts once. When one of the characters {}[]()|*+?^$ is somewhere in it, all are basic regular expressions (POSIX)
 * that may match anywhere in the path of a group below the mount, written without the first slash ("/" for the root); one that is
 * just as it stands the name of a group means that group too.
 */
#ifndef PSTAT_MACHINE_CGROUP_LIST_H
#define PSTAT_MACHINE_CGROUP_LIST_H

#include <stdbool.h>

struct cgroup_mount;
struct strbuf;

struct cgroup_list {
	int nr;
	char **names;	 /* in the order given; those that patterns found in that of the tree */
	bool by_pattern; /* they were found: one may be gone by now */
	/*
	 * number of cgroups that were omitted together with all cgroups in them: see CGROUP_PATH_MOST in cgroup-dir.h
	 */
	int too_long;
};

#define CGROUP_LIST_INIT \
	{                \
		.nr = 0  \
	}

/*
 * 0 and @list; -EINVAL for a pattern that is none, -ENOENT when not one group matches, or another -errno, with the reason added to
 * @why. Names without patterns are not looked up.
 */
int cgroup_list__parse(const struct cgroup_mount *mount, const char *text, struct cgroup_list *list,
		       struct strbuf *why);
void cgroup_list__free(struct cgroup_list *list);
/* Adds a copy of @name. Returns 0 or -ENOMEM. */
int cgroup_list__add(struct cgroup_list *list, const char *name);

/* A list to be asked again and again: does it mean the group @path, written without the first slash ("/" for the root)? */
struct cgroup_patterns;
int cgroup_patterns__new(const char *text, struct cgroup_patterns **patterns, struct strbuf *why);
bool cgroup_patterns__match(const struct cgroup_patterns *patterns, const char *path);
void cgroup_patterns__free(struct cgroup_patterns *patterns);

/* All groups that there are, each behind what it is in. 0 or -errno. */
int cgroup_list__all(const struct cgroup_mount *mount, struct cgroup_list *list);

/* Does @text hold patterns? */
bool cgroup_list__has_patterns(const char *text);

#endif
