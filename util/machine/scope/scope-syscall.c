// SPDX-License-Identifier: GPL-2.0-only
/* Finds system calls, specified as syscall or syscall:NAME,NAME. */
#include <asm/unistd.h>
#include <errno.h>
#include <limits.h>
#include <linux/btf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/near-names.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/kernel-btf.h"
#include "util/machine/scope/scope-search.h"

/* Greater than the numbers of all system calls in `names`. */
#define NAMES_END 512

/* the file that is included below may initialize some elements of `names` again */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const char *const names[NAMES_END] = {
	/*
	 * System calls that are missing from the kernel headers of Debian 12 (Linux 6.1). Their
	 * numbers are the same on all architectures, as are those of all system calls that have
	 * been added since Linux 5.1.
	 */
	[451] = "cachestat",	     [452] = "fchmodat2",	 [453] = "map_shadow_stack",
	[454] = "futex_wake",	     [455] = "futex_wait",	 [456] = "futex_requeue",
	[457] = "statmount",	     [458] = "listmount",	 [459] = "lsm_get_self_attr",
	[460] = "lsm_set_self_attr", [461] = "lsm_list_modules", [462] = "mseal",
	[463] = "setxattrat",	     [464] = "getxattrat",	 [465] = "listxattrat",
	[466] = "removexattrat",     [467] = "open_tree_attr",	 [468] = "file_getattr",
	[469] = "file_setattr",
/* the Makefile generates this file from the kernel's asm/unistd.h: [__NR_read] = "read", … */
#include "util/machine/scope/syscall-names.inc"
};
#pragma GCC diagnostic pop

static const char *name_of(int nr)
{
	return nr >= 0 && nr < NAMES_END ? names[nr] : NULL;
}

/* Returns whether @nr is the number of a system call that never returns: exit or exit_group. */
static bool never_returns(int nr)
{
	return nr == SYS_exit || nr == SYS_exit_group;
}

/*
 * Adds a point for each system call that matches @word. If @needs_return is set, omits system calls
 * that do not return. Returns the number of points added, or -errno.
 */
static int add_matching(const struct point_spec *spec, const struct scope_word *word,
			bool needs_return, struct scope_points *points)
{
	int nr_before = points->nr, err = 0;
	const char *name;

	for (int nr = 0; nr < NAMES_END && err >= 0; nr++) {
		struct scope_point point = { .kind = POINT_SYSCALL,
					     .file = -1,
					     .syscall = nr,
					     .at_return = spec->place == PLACE_RETURN };

		name = name_of(nr);
		if (!name || !scope_word__matches(word, name) ||
		    (needs_return && never_returns(nr)))
			continue;
		if (asprintf(&point.name, "%s%s", name, point.at_return ? "%return" : "") < 0)
			point.name = NULL;
		err = scope_points__add(points, &point);
	}
	return err ?: points->nr - nr_before;
}

static int refuse_unknown(const struct scope_search *search, const struct scope_word *word)
{
	struct near_names near = { 0 };

	for (int nr = 0; nr < NAMES_END; nr++)
		if (never_returns(nr) && scope_word__matches(word, name_of(nr)))
			return scope_search__refuse(search, word->column, -EOPNOTSUPP,
						    "the system call '%s' never returns, so its "
						    "runs have no end",
						    word->text);
	scope_search__refuse(search, word->column, -ENOENT,
			     "there is no system call '%s' on this architecture", word->text);
	if (strchr(word->text, ':'))
		strbuf__adds(search->why, "\nwrite the kind only once: syscall:read,write");
	for (int nr = 0; nr < NAMES_END; nr++)
		if (name_of(nr))
			near_names__offer(&near, word->text, name_of(nr));
	for (int i = 0; i < near.nr; i++)
		strbuf__addf(search->why, "%s'%s'", i ? ", " : "\nsimilar names: ", near.names[i]);
	near_names__free(&near);
	return -ENOENT;
}

/*
 * Of the points from index @first on, keeps only the first one for each system call. Several words
 * in the user's list can match the same system call.
 */
static void remove_doubles(struct scope_points *points, int first)
{
	int kept = first;

	for (int i = first; i < points->nr; i++) {
		bool is_double = false;

		for (int j = first; j < kept && !is_double; j++)
			is_double = points->points[j].syscall == points->points[i].syscall;
		if (is_double)
			free(points->points[i].name);
		else
			points->points[kept++] = points->points[i];
	}
	points->nr = kept;
}

int scope_syscall__find(const struct scope_search *search, const struct point_spec *spec,
			bool needs_return, struct scope_points *points)
{
	static char each_pattern[] = "*";
	const struct scope_word each = { .pattern = each_pattern, .text = each_pattern };
	const char *list = spec->name.pattern, *at = list, *end;
	int first = points->nr, err = 0;

	if (!list) {
		err = add_matching(spec, &each, needs_return, points);
		return err < 0 ? err : 0;
	}
	for (; !err; at = end + 1) {
		int column = spec->name.column + (int)(at - list);
		struct scope_word word;

		end = strchrnul(at, ',');
		err = scope_word__init(&word, at, end, column);
		if (!err)
			err = add_matching(spec, &word, needs_return, points) ?:
				      refuse_unknown(search, &word);
		scope_word__free(&word);
		err = err < 0 ? err : 0;
		if (!*end)
			break;
	}
	if (!err)
		remove_doubles(points, first);
	return err;
}

/* System calls whose names differ from those of their kernel functions and tracepoints. */
static const struct {
	const char *call, *function;
} other_names[] = {
	{ "stat", "newstat" },		 { "fstat", "newfstat" }, { "lstat", "newlstat" },
	{ "uname", "newuname" },	 { "umount2", "umount" }, { "sendfile", "sendfile64" },
	{ "fadvise64", "fadvise64_64" },
};

int scope_syscall__of_function(const char *function)
{
	for (size_t i = 0; i < sizeof(other_names) / sizeof(*other_names); i++)
		if (!strcmp(function, other_names[i].function))
			function = other_names[i].call;
	for (int nr = 0; nr < NAMES_END; nr++)
		if (name_of(nr) && !strcmp(name_of(nr), function))
			return nr;
	return -ENOENT;
}

static int read_tp_id(const struct sysroots *roots, const char *name, bool at_return, uint64_t *id)
{
	char path[128];

	snprintf(path, sizeof(path), "events/syscalls/sys_%s_%s/id", at_return ? "exit" : "enter",
		 name);
	return sysfs__read_u64(roots->tracefs, path, id);
}

static bool has_events(const struct sysroots *roots)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/events", roots->tracefs);
	return !access(path, F_OK);
}

int scope_point__find_tp(struct scope_point *point, const struct sysroots *roots,
			 struct strbuf *why)
{
	const char *name = name_of(point->syscall);
	int err = read_tp_id(roots, name, point->at_return, &point->tp_id);

	for (size_t i = 0; err == -ENOENT && i < sizeof(other_names) / sizeof(*other_names); i++)
		if (!strcmp(name, other_names[i].call))
			err = read_tp_id(roots, other_names[i].function, point->at_return,
					 &point->tp_id);
	if (err == -ENOENT && !has_events(roots))
		return reason__set(why, err,
				   "'syscall:%s': tracefs, which lists the tracepoints of system "
				   "calls, is not mounted\nmount it: mount -t tracefs nodev %s",
				   name, roots->tracefs);
	if (err == -ENOENT)
		return reason__set(why, err,
				   "'syscall:%s': the kernel has no tracepoint for this system "
				   "call in %s/events/syscalls",
				   name, roots->tracefs);
	return reason__set(
		why, err, "'syscall:%s': %s/events/syscalls cannot be read (%s): run pstat as root",
		name, roots->tracefs, strerror(-err));
}

bool scope__programs_are_preempted(const struct sysroots *roots)
{
	/*
	 * only kernels that can preempt BPF programs at system calls have this function
	 * (kernel/trace/bpf_trace.c)
	 */
	struct kernel_btf_type type = { .name = "trace_call_bpf_faultable", .kind = BTF_KIND_FUNC };
	struct kernel_btf *btf;

	if (kernel_btf__open(roots, &btf))
		return false;
	if (kernel_btf__find(btf, &type, 1))
		type.id = 0;
	kernel_btf__close(btf);
	return type.id;
}
