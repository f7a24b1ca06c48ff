/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scopes: pairs of points between which a thread is counted. A point is a place in a program, a
 * library or the kernel at which a probe can be attached. scope_list__add() parses what the user
 * wrote and finds the places, but attaches nothing.
 *
 *	SCOPE	KIND:WHERE		a function, from its entry to its return
 *		POINT..POINT		from the first point to the second point
 *	POINT	uprobe:FILE:FUNCTION	FILE is a path, or the name of a library as the loader
 *					finds it ("libz"); FUNCTION may be a glob, FUNCTION+OFFSET,
 *					or a link-time address
 *		usdt:FILE:[PROVIDER:]NAME
 *		func:FUNCTION		a function of the kernel or of a module
 *		tp:CATEGORY:NAME	a tracepoint
 *		syscall[:NAME[,NAME]]	a system call
 *
 * Words that the second point omits are taken from the first: "usdt:FILE:a..b". A function with
 * the suffix "%return" is the point of its return. A backslash removes the meaning of ':', '.',
 * '%', '+', ',' and of the characters of globs.
 */
#ifndef PSTAT_MACHINE_SCOPE_H
#define PSTAT_MACHINE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct strbuf;
struct sysroots;

/* More scopes in one list are refused with -E2BIG. */
#define SCOPES_MOST 4096

enum point_kind {
	POINT_UPROBE,
	POINT_USDT,
	POINT_FUNC,
	POINT_TP,
	POINT_SYSCALL,
};

struct scope_point {
	enum point_kind kind;
	bool at_return;		 /* the return of the function or system call */
	char *name;		 /* for messages: "libz.so.1:deflate", "vfs_read%return" */
	int file;		 /* uprobe, usdt: index into the list's files; otherwise -1 */
	uint64_t offset;	 /* uprobe, usdt: in the file, as uprobes need it */
	uint64_t ref_ctr_offset; /* usdt: of the semaphore in the file; 0: there is none */
	char *func;		 /* func: name of the function, without its module */
	/*
	 * func: where ftrace has its call, which tells functions of one name apart; 0: unknown
	 * (before Linux 6.5)
	 */
	uint64_t address;
	char *module;		/* func: module that contains the function; NULL: the kernel */
	char *category, *event; /* tp */
	uint64_t tp_id;		/* tp: id of the perf event */
	int syscall;		/* syscall: its number on this architecture; otherwise -1 */
};

/*
 * A run begins at any of the points in `begin`, and ends at any of the points in `end`: a USDT
 * point often has several places in the code. The scope of a function has one point in each.
 */
struct scope {
	char *name;   /* without the kind: "libz.so.1:deflate", "vfs_read", "srv:begin..srv:end" */
	int selector; /* number of the scope_list__add() that added it, from 0 */
	struct scope_point *begin;
	int nr_begin;
	struct scope_point *end;
	int nr_end;
};

/* Does a run end when the function or system call returns that it began with? */
bool scope__is_function(const struct scope *scope);

/*
 * A file that contains points. `fd` was opened with O_PATH, so /proc/self/fd/FD leads to the file
 * that was read, even after another file has taken its place, or if it is in another mount
 * namespace. Probes are attached through that path.
 */
struct scope_file {
	char *path; /* as the user can open it; for messages */
	int fd;
	dev_t dev;
	ino_t inode;
};

struct scope_list {
	struct scope *scopes;
	int nr;
	struct scope_file *files;
	int nr_files;
	int nr_selectors;
};

#define SCOPE_LIST_INIT \
	{               \
		.nr = 0 \
	}

/* Where the points are looked for. */
struct scope_env {
	const struct sysroots *roots;
	pid_t pid;		/* paths are paths of this process; 0: of pstat */
	const char *debug_dirs; /* of debug files; NULL: DEBUG_DIRS in build-id.h */
};

/*
 * Adds the scopes that @spec, the value of one --scope, names: one for each function that a glob
 * matches, for each system call in a list, and for each system call of the machine if @spec is
 * "syscall". Returns 0, or -errno after storing the reason in @why, which then names the
 * specification, the position and what to do. -EINVAL: @spec is malformed; -ENOENT: there is no
 * such place; -EOPNOTSUPP: no probe is possible at the place; -E2BIG: too many scopes; -EINTR; or
 * another -errno of opening a file. The list is unchanged after an error.
 */
int scope_list__add(struct scope_list *list, const struct scope_env *env, const char *spec,
		    struct strbuf *why);
/*
 * Finds the places of @spec, which is one POINT (--start, --stop). The caller frees the points with
 * scope_points__free(). Their files are added to @list. Returns as scope_list__add() does.
 */
int scope_list__find_point(struct scope_list *list, const struct scope_env *env, const char *spec,
			   struct scope_point **points, int *nr, struct strbuf *why);
void scope_points__free(struct scope_point *points, int nr);
void scope_list__free(struct scope_list *list);

/* Returns "uprobe", "usdt", "func", "tp" or "syscall". */
const char *point_kind__name(enum point_kind kind);

#endif
