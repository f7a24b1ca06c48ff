/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of cgroups for --for-each-cgroup, by perf's rules. Names are separated by commas, an empty
 * name is the root, and repeated names are dropped. If the list contains one of the characters
 * {}[]()|*+?^$, each of its names is a POSIX basic regular expression. The expression can match any
 * part of a cgroup's path below the mount, which is written without the first slash ("/" for the
 * root). A name that is the exact path of a cgroup also selects this cgroup.
 */
#ifndef PSTAT_MACHINE_CGROUP_LIST_H
#define PSTAT_MACHINE_CGROUP_LIST_H

#include <stdbool.h>

struct cgroup_mount;
struct strbuf;

struct cgroup_list {
	int nr;
	/* in the order of the argument; with by_pattern, each cgroup follows its parent */
	char **names;
	/* the cgroups matched patterns when the list was made, and may no longer exist */
	bool by_pattern;
	/* cgroups omitted together with their descendants: see CGROUP_PATH_MOST in cgroup-dir.h */
	int too_long;
};

#define CGROUP_LIST_INIT \
	{                \
		.nr = 0  \
	}

/*
 * Parses the list @text. Returns 0 and fills @list; -EINVAL if a pattern is not valid; -ENOENT if
 * no cgroup matches; or another -errno. On error, adds the reason to @why. Looks for cgroups only
 * if the list has patterns.
 */
int cgroup_list__parse(const struct cgroup_mount *mount, const char *text, struct cgroup_list *list,
		       struct strbuf *why);
void cgroup_list__free(struct cgroup_list *list);
/* Adds a copy of @name. Returns 0 or -ENOMEM. */
int cgroup_list__add(struct cgroup_list *list, const char *name);

/*
 * A parsed list that can be matched repeatedly against paths, which are written without the first
 * slash ("/" for the root). cgroup_patterns__new() returns 0; -EINVAL with the reason in @why if a
 * pattern is not valid; or -ENOMEM.
 */
struct cgroup_patterns;
int cgroup_patterns__new(const char *text, struct cgroup_patterns **patterns, struct strbuf *why);
bool cgroup_patterns__match(const struct cgroup_patterns *patterns, const char *path);
void cgroup_patterns__free(struct cgroup_patterns *patterns);

/* Lists all cgroups, each after its parent. Returns 0 or -errno. */
int cgroup_list__all(const struct cgroup_mount *mount, struct cgroup_list *list);

/* Returns whether @text contains patterns. */
bool cgroup_list__has_patterns(const char *text);

#endif
