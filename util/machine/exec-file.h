/* SPDX-License-Identifier: GPL-2.0-only */
/* The file that a command's name stands for, and what its exec does to the events that count the process. */
#ifndef PSTAT_MACHINE_EXEC_FILE_H
#define PSTAT_MACHINE_EXEC_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct sysroots;

/* Finds the program @name as execvp(3) does. False when there is none, or when its path does not fit into @file. */
bool exec_file__find(const char *name, char *file, size_t size);

enum exec_change {
	EXEC_SAME,
	EXEC_SETUID,
	EXEC_SETGID,
	EXEC_CAPABILITIES,
	EXEC_UNREADABLE,
};

/*
 * What the exec of @file by this process changes, so that the kernel removes the events of the process: begin_new_exec() in fs/exec.c
 * calls perf_event_exit_task() unless the new program may dump core for its user. commit_creds() in kernel/cred.c decides that by the
 * credentials, would_dump() in fs/exec.c by the permission to read. EXEC_SAME when the events stay, or when nothing is known.
 */
enum exec_change exec_file__change(const struct sysroots *roots, const char *file);

/* Words for it: "a setuid program". */
const char *exec_change__name(enum exec_change change);

/* The exec gives the process privileges that it had not, and would not if it was traced by a user without CAP_SYS_PTRACE. */
bool exec_change__needs_untraced(enum exec_change change);

#endif
