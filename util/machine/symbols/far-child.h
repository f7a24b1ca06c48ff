/* SPDX-License-Identifier: GPL-2.0-only */
/* The child process of far-file.h, and the messages between it and its parent. */
#ifndef PSTAT_MACHINE_FAR_CHILD_H
#define PSTAT_MACHINE_FAR_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "util/base/regular-file.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/task/exec-file.h"

enum far_kind {
	FAR_FILE, /* open a regular file */
	FAR_DIR,  /* check whether a directory can be read */
	FAR_PROC, /* copy a file of procfs */
	/*
	 * find the file of a command, and find out whether the kernel removes the events of a
	 * process that executes the file (exec-file.h)
	 */
	FAR_COMMAND,
};

struct far_question {
	enum far_kind kind;
	enum regular_file_links links;
	uint64_t inode; /* the inode that the file must have; 0: any */
	bool is_read;	/* the parent needs the content of the file */
	char root[64];	/* the root directory for the path; "": pstat's own root */
	/*
	 * The path, or the name of the command (FAR_COMMAND); a NUL; a list of directories,
	 * separated by colons; and another NUL. Unless the list is empty, the file must be below
	 * one of the directories, and `root` is ignored.
	 */
	char texts[4 * PATH_MAX];
};

struct far_answer {
	int err; /* -EINPROGRESS: the child is still copying, and will send another answer */
	struct stat st;
	struct build_id id;
	enum exec_change change;
	/* the path of the file of the command (FAR_COMMAND); only the used part is sent */
	char file[PATH_MAX];
};

/* Answers the questions from @socket until the parent closes its end. */
_Noreturn void far_child__run(int socket);

#endif
