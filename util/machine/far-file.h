/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files of other users without waiting for a file system that does not answer. A network
 * file system whose server is gone, or a FUSE file system whose server is stuck, blocks whoever
 * resolves a path, asks for a file's status, or opens or reads the file. Some of these waits
 * cannot be ended even by SIGKILL (request_wait_answer() in fs/fuse/dev.c). So a child process
 * does all this, one for all files:
 *
 *	far_file__open ── path ──► child: name, status, open, build id, copy
 *	       ▲                     │
 *	       └─ fd, status, id ────┘  no answer: the child is left behind
 *
 * Files on file systems of this machine's disks and memory are passed on as descriptors. Of the
 * others, the child makes a copy in memory, because reading could block too.
 */
#ifndef PSTAT_MACHINE_FAR_FILE_H
#define PSTAT_MACHINE_FAR_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "util/base/regular-file.h"
#include "util/machine/build-id.h"

struct far_request {
	char root[64]; /* a directory that serves as the root of the path; empty: none */
	const char *path;
	enum regular_file_links links;
	uint64_t inode; /* the file must have this number; 0: any number */
	dev_t device;	/* where the file is expected to be; 0: unknown */
	bool is_read;	/* its content is needed, not only its status and build id */
};

struct far_file {
	int fd; /* -1: the file system is not local, and the content was not asked for */
	struct stat st;
	struct build_id id; /* unset if the file has none */
};

/*
 * Opens a regular file. Returns 0 and fills @file, whose fd the caller closes, or -errno:
 * -ENOEXEC if the file is not regular; -ESTALE if it has another inode; -ETIMEDOUT, after a
 * warning, if its file system does not answer; -EINTR if a signal is pending meanwhile; -EFBIG if
 * it is too large to be copied, or if too much has been copied already.
 */
int far_file__open(const struct far_request *request, struct far_file *file);

/* Ends the child process. */
void far_file__end(void);

#endif
