/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of cgroups for --for-each-cgroup. The rules are the same as in perf. Names are separated by
 * commas, an empty name is the root, and pstat ignores repeated names. If the list contains one of
 * the characters {}[]()|*+?^$, each name in the list is a pattern (a POSIX basic regular
 * expression). A pattern selects a cgroup if any part of the cgroup's path matches the pattern.
 * Paths are relative to the mount point, without a slash at the beginning; the path of the root is
 * "/". A pattern also selects the cgroup whose path is the text of the pattern without its leading
 * slashes.
 */
#ifndef PSTAT_MACHINE_CGROUP_LIST_H
#define PSTAT_MACHINE_CGROUP_LIST_H

#include <stdbool.h>

struct cgroup_mount;
struct strbuf;

struct cgroup_list {
	int nr;
	/*
	 * in the order in which the user listed them; or, if pstat searched for the cgroups, each
	 * after its ancestors
	 */
	char **names;
	/*
	 * the list was made from patterns, so it is not an error if some of its cgroups no longer
	 * exist
	 */
	bool by_pattern;
	/*
	 * number of cgroups that were omitted because their paths exceed CGROUP_PATH_MOST
	 * (cgroup-dir.h); their descendants were omitted too, but are not counted here
	 */
	int too_long;
};

#define CGROUP_LIST_INIT \
	{                \
		.nr = 0  \
	}

/*
 * Parses the list @text. Looks for cgroups only if the list has patterns. Returns 0 and fills in
 * @list; -EINVAL if a pattern is malformed or its repetition counts (\{n\}) are too large; -ENOENT
 * if no cgroup matches; or another -errno. For -EINVAL and -ENOENT, adds the reason to @why.
 */
int cgroup_list__parse(const struct cgroup_mount *mount, const char *text, struct cgroup_list *list,
		       struct strbuf *why);
void cgroup_list__free(struct cgroup_list *list);
/* Adds a copy of @name. Returns 0 or -ENOMEM. */
int cgroup_list__add(struct cgroup_list *list, const char *name);

/*
 * A parsed list that can be matched against paths repeatedly. The form of the paths is described at
 * the top of this file. cgroup_patterns__new() returns 0; -EINVAL with the reason in @why, for the
 * same patterns as cgroup_list__parse(); or -ENOMEM.
 */
struct cgroup_patterns;
int cgroup_patterns__new(const char *text, struct cgroup_patterns **patterns, struct strbuf *why);
bool cgroup_patterns__match(const struct cgroup_patterns *patterns, const char *path);
void cgroup_patterns__free(struct cgroup_patterns *patterns);

/*
 * Sets @list to all cgroups except those whose paths are too long (see `too_long`). Each cgroup
 * comes after its parent. Returns 0 or -errno.
 */
int cgroup_list__all(const struct cgroup_mount *mount, struct cgroup_list *list);

/* Returns whether @text contains patterns. */
bool cgroup_list__has_patterns(const char *text);

#endif
