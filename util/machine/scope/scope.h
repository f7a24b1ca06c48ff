/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scope is a pair of points. pstat counts a thread's events from the moment when the thread
 * passes the first point until the thread passes the second point. A point is a place where pstat
 * can attach a probe, in a program, in a library or in the kernel. scope_list__add() parses the
 * user's text and finds the points, but does not attach probes.
 *
 *	SCOPE	POINT			a function or system call, from its entry to its return
 *		POINT..POINT		from the first point to the second point
 *	POINT	uprobe:FILE:FUNCTION	FILE is a path, the name of a library without its path
 *					("libz"), or the name of a command; FUNCTION is the name of
 *					a function, NAME+OFFSET, a glob, or a link-time address
 *		usdt:FILE:[PROVIDER:]NAME
 *		func:[MODULE:]FUNCTION	a function of the kernel or of a module
 *		tp:CATEGORY:NAME	a tracepoint
 *		syscall[:NAME[,NAME…]]	system calls; without NAME: all system calls
 *
 * If the second point omits its kind ("uprobe:" and so on), the parser copies the kind from the
 * first point. If such a point also omits FILE, CATEGORY, or both FILE and PROVIDER, the parser
 * copies these, too. For example, "usdt:FILE:a..b" is short for "usdt:FILE:a..usdt:FILE:b".
 * NAME%return is the return of the function or system call NAME, and FUNCTION%returns (only with
 * uprobe) is each return instruction of the function. A backslash before ':', '.', '%', '+' or a
 * glob character removes the special meaning of this character.
 */
#ifndef PSTAT_MACHINE_SCOPE_H
#define PSTAT_MACHINE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct strbuf;
struct sysroots;

/* The maximum number of scopes in a list, and of points that match one POINT. */
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
	bool at_return; /* the point is the return of the function or system call, not its entry */
	/* uprobe: the point is a return instruction, because the user wrote FUNCTION%returns */
	bool is_return_instruction;
	char *name; /* the name in messages: "libz.so.1:deflate", "vfs_read%return" */
	int file;   /* uprobe, usdt: index into scope_list.files; otherwise -1 */
	/* uprobe, usdt: the file offset at which the kernel attaches the uprobe */
	uint64_t offset;
	/*
	 * usdt: file offset of the semaphore, or 0 if there is none. The semaphore is a counter
	 * that is above 0 while the point is probed.
	 */
	uint64_t ref_ctr_offset;
	char *func; /* func: name of the function, without its module */
	/*
	 * func: the function's address; 0: not needed or unknown. pstat needs the address if
	 * several functions have the same name, or if the user named a module.
	 */
	uint64_t address;
	char *module;		/* func: the module of the function; NULL: the kernel itself */
	char *category, *event; /* tp */
	/*
	 * tp, syscall: id of the tracepoint. If the user specified the point as "syscall:", this is
	 * 0 until scope_point__find_tp() is called.
	 */
	uint64_t tp_id;
	int syscall; /* syscall: number of the system call on this architecture; otherwise -1 */
};

/*
 * A run is one passage of a thread through the scope. It begins at any of the points in `begin`,
 * and ends at any of the points in `end`. A USDT point often has several places in the code. Each
 * place is a separate struct scope_point. A scope that the user wrote as one POINT has one point in
 * `begin` (the entry of the function or system call) and one point in `end` (its return).
 */
struct scope {
	/*
	 * usually the points without their kinds: "libz.so.1:deflate", "vfs_read",
	 * "srv:begin..end"; for the exceptions, see name_pair() in scope.c, and scope-names.c
	 */
	char *name;
	int selector; /* index of the --scope option that added the scope */
	struct scope_point *begin;
	int nr_begin;
	struct scope_point *end;
	int nr_end;
};

/*
 * Returns whether each run of @scope begins with a call to a function or system call, and ends when
 * this call returns.
 */
bool scope__is_function(const struct scope *scope);

/*
 * A file that contains points. `fd` was opened with O_PATH. pstat attaches probes through the path
 * /proc/self/fd/FD, which refers to this file even if `path` now refers to another file, or if the
 * file is in another mount namespace.
 */
struct scope_file {
	char *path; /* a path through which the user can open the file; for messages */
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
	char **texts;		/* texts[selector]: the user's text */
	char *kernel_functions; /* text of available_filter_functions; NULL: not read yet */
};

#define SCOPE_LIST_INIT \
	{               \
		.nr = 0 \
	}

/* Where to search for files. */
struct scope_env {
	const struct sysroots *roots;
	/* id of the process whose root directory is searched; 0: pstat's own root directory */
	pid_t pid;
	const char *debug_dirs; /* directories of debug files; NULL: DEBUG_DIRS in build-id.h */
};

/*
 * Adds the scopes of @spec, the value of one --scope option. If @spec is one POINT, adds one scope
 * for each function or system call that matches. "syscall" matches all system calls that can
 * return. Returns 0, or -errno after storing the reason in @why. The reason contains @spec and the
 * position of the error, and says what the user can do. The errors are -EINVAL if @spec is
 * malformed; -ENOENT if there is no such point; -EOPNOTSUPP if the point cannot be probed; -E2BIG
 * if there are more than SCOPES_MOST scopes or points; -EINTR if a signal asks pstat to end; or
 * another -errno, for example if a file cannot be opened. After an error, the scopes and files of
 * the list are unchanged.
 */
int scope_list__add(struct scope_list *list, const struct scope_env *env, const char *spec,
		    struct strbuf *why);
/*
 * Renames scopes that have the same name but were added by different scope_list__add() calls, so
 * that the report can tell them apart. Call this after the last scope_list__add(). Returns 0 or
 * -ENOMEM.
 */
int scope_list__distinguish(struct scope_list *list);
/*
 * Sets *@points to the points that @spec names, and *@nr to their number. @spec is the value of
 * --start or --stop, and must be one POINT. Adds the files of the points to @list. The caller frees
 * *@points with scope_points__free(). Returns 0, or -errno after storing the reason, as
 * scope_list__add() does.
 */
int scope_list__find_point(struct scope_list *list, const struct scope_env *env, const char *spec,
			   struct scope_point **points, int *nr, struct strbuf *why);
void scope_points__free(struct scope_point *points, int nr);
/*
 * Sets @point->tp_id to the id of the tracepoint for @point, whose kind must be POINT_SYSCALL. Each
 * system call has its own tracepoints in events/syscalls of tracefs. Returns 0, or -errno after
 * storing the reason in @why.
 */
int scope_point__find_tp(struct scope_point *point, const struct sysroots *roots,
			 struct strbuf *why);
void scope_list__free(struct scope_list *list);

/*
 * Returns whether the running kernel can preempt two kinds of BPF programs: programs that are
 * attached to the tracepoints of individual system calls (events/syscalls), and raw tracepoint
 * programs that are attached to sys_enter or sys_exit. Linux 7.2 and newer can preempt such
 * programs. While a program is preempted, the kernel does not run it for other threads on the same
 * CPU, so the runs of these threads can be missed or lost. The kernel never preempts a program that
 * is attached to a perf event at raw_syscalls:sys_enter or raw_syscalls:sys_exit.
 */
bool scope__programs_are_preempted(const struct sysroots *roots);

/* Returns "uprobe", "usdt", "func", "tp" or "syscall". */
const char *point_kind__name(enum point_kind kind);

#endif
