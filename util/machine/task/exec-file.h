/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the file of a command, and finds out whether the kernel removes the events of a process
 * that executes this file.
 */
#ifndef PSTAT_MACHINE_EXEC_FILE_H
#define PSTAT_MACHINE_EXEC_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct sysroots;

/*
 * Finds the program @name in the same way as execvp(3), and stores its path in @file. Returns false
 * if there is no such program, or if its path does not fit into @file.
 */
bool exec_file__find(const char *name, char *file, size_t size);

enum exec_change {
	EXEC_SAME,
	EXEC_SETUID,
	EXEC_SETGID,
	EXEC_CAPABILITIES,
	EXEC_UNREADABLE,
};

/*
 * Returns the reason why the kernel would remove the events of this process if the process executed
 * @file. The kernel removes them unless the user is allowed to get a core dump of the new program:
 * see begin_new_exec() in fs/exec.c, which calls perf_event_exit_task(). The user is not allowed to
 * get a core dump if the program changes the credentials (commit_creds() in kernel/cred.c), or if
 * the user has no permission to read the file (would_dump() in fs/exec.c). Returns EXEC_SAME if the
 * kernel would keep the events, or if pstat cannot find out.
 */
enum exec_change exec_file__change(const struct sysroots *roots, const char *file);

/* Returns a description of @change, such as "a setuid program". */
const char *exec_change__name(enum exec_change change);

/*
 * Returns whether pstat would prevent @change by tracing the process that executes the program. A
 * tracer without CAP_SYS_PTRACE prevents the changes EXEC_SETUID, EXEC_SETGID and
 * EXEC_CAPABILITIES.
 */
bool exec_change__needs_untraced(enum exec_change change);

#endif
