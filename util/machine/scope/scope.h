/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scopes: pairs of points between which a thread is counted. A point is a place in a program, a
 * library or the kernel at which a probe can be attached. scope_list__add() parses the user's text
 * and finds the places, but does not attach probes.
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
 * If the second point omits words, they are the same as in the first point: "usdt:FILE:a..b".
 * FUNCTION%return is the point at which the function returns. A backslash before ':', '.', '%',
 * '+', ',' or a glob character removes the special meaning of this character.
 */
#ifndef PSTAT_MACHINE_SCOPE_H
#define PSTAT_MACHINE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct strbuf;
struct sysroots;

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
	bool at_return; /* the return of the function or system call */
	/* uprobe: one of the return instructions of a function (%returns) */
	bool is_return_instruction;
	char *name; /* name in messages: "libz.so.1:deflate", "vfs_read%return" */
	int file;   /* uprobe, usdt: index into the list's files; otherwise -1 */
	/* uprobe, usdt: the offset in the file to which the kernel attaches uprobes */
	uint64_t offset;
	/* usdt: offset of the semaphore in the file; 0: there is no semaphore */
	uint64_t ref_ctr_offset;
	char *func; /* func: name of the function, without its module */
	/*
	 * func: the address at which the function begins, which distinguishes functions with the
	 * same name; 0: the name suffices, or the address is unknown
	 */
	uint64_t address;
	char *module;		/* func: the module of the function; NULL: the kernel itself */
	char *category, *event; /* tp */
	/* tp: id of the perf event; syscall: 0 until scope_point__find_tp() is called */
	uint64_t tp_id;
	int syscall; /* syscall: its number on this architecture; otherwise -1 */
};

/*
 * A run begins at any of the points in `begin`, and ends at any of the points in `end`. A USDT
 * point often has several places in the code, and each place is a point here. The scope of a
 * function has one point in each list.
 */
struct scope {
	char *name;   /* without the kind: "libz.so.1:deflate", "vfs_read", "srv:begin..srv:end" */
	int selector; /* number of the scope_list__add() call that added the scope, from 0 */
	struct scope_point *begin;
	int nr_begin;
	struct scope_point *end;
	int nr_end;
};

/*
 * Returns whether a run begins with a call to a function or system call, and ends when this call
 * returns.
 */
bool scope__is_function(const struct scope *scope);

/*
 * A file that contains points. `fd` was opened with O_PATH, so /proc/self/fd/FD is a path to the
 * file that was read, even if the file was replaced or is in another mount namespace. Probes are
 * attached through this path.
 */
struct scope_file {
	char *path; /* a path through which the user can open it; for messages */
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
	char *kernel_functions; /* text of the list of ftrace's functions; NULL: not read yet */
};

#define SCOPE_LIST_INIT \
	{               \
		.nr = 0 \
	}

/* Where to search for files. */
struct scope_env {
	const struct sysroots *roots;
	pid_t pid;		/* the process whose root directory is used for paths; 0: pstat */
	const char *debug_dirs; /* directories of debug files; NULL: DEBUG_DIRS in build-id.h */
};

/*
 * Adds the scopes of @spec, the value of one --scope: one for each function that a glob matches,
 * for each system call in a list, and, if @spec is "syscall", for each system call of the machine.
 * Returns 0, or -errno after storing the reason in @why, with the specification, the position, and
 * what to do. -EINVAL: @spec is malformed; -ENOENT: there is no such place; -EOPNOTSUPP: the place
 * cannot be probed; -E2BIG: there are too many scopes; -EINTR; or another -errno if a file cannot
 * be opened. After an error, the list is unchanged.
 */
int scope_list__add(struct scope_list *list, const struct scope_env *env, const char *spec,
		    struct strbuf *why);
/*
 * Finds the places of @spec, which is one POINT (--start, --stop). The caller frees the points with
 * scope_points__free(). Adds their files to @list. Returns the same errors as scope_list__add().
 */
int scope_list__find_point(struct scope_list *list, const struct scope_env *env, const char *spec,
			   struct scope_point **points, int *nr, struct strbuf *why);
void scope_points__free(struct scope_point *points, int nr);
/*
 * Stores in @point, a point of a system call, the id of the tracepoint that only this system call
 * passes. Returns 0, or -errno with the reason in @why.
 */
int scope_point__find_tp(struct scope_point *point, const struct sysroots *roots,
			 struct strbuf *why);
void scope_list__free(struct scope_list *list);

/*
 * Returns whether the kernel can preempt BPF programs at the tracepoints of individual system calls
 * and at raw tracepoints of system calls (Linux 7.2). While a program is preempted, the kernel does
 * not run it for other threads on the same CPU. It cannot preempt programs of perf events at the
 * two raw_syscalls tracepoints, which all system calls pass.
 */
bool scope__programs_are_preempted(const struct sysroots *roots);

/* Returns "uprobe", "usdt", "func", "tp" or "syscall". */
const char *point_kind__name(enum point_kind kind);

#endif
