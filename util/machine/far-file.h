/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens other users' files without waiting for a file system that does not respond. A network file
 * system whose server is gone, or a FUSE file system whose server hangs, blocks any process that
 * resolves a path, reads a file's status, or opens or reads the file. Even SIGKILL cannot end some
 * of these waits (request_wait_answer() in fs/fuse/dev.c). So one child process does all this for
 * all files:
 *
 *	far_file__open ── path ──► child: name, status, open, build id, copy
 *	       ▲                     │
 *	       └─ fd, status, id ────┘  no answer: the child is abandoned
 *
 * The child passes on descriptors of files on local disks and in memory. It copies all other files
 * to memory, because reading them could block too.
 */
#ifndef PSTAT_MACHINE_FAR_FILE_H
#define PSTAT_MACHINE_FAR_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "util/base/regular-file.h"
#include "util/machine/build-id.h"

struct far_request {
	char root[64]; /* a directory that serves as the root of the path, or "" */
	const char *path;
	enum regular_file_links links;
	uint64_t inode; /* the inode that the file must have; 0: any */
	dev_t device;	/* the expected device; 0: unknown */
	bool is_read;	/* the content is needed, not only the status and the build id */
};

struct far_file {
	int fd; /* -1 if the file system is not local and the content was not requested */
	struct stat st;
	struct build_id id; /* unset if the file has none */
};

/*
 * Opens a regular file. Returns 0 and fills @file, whose fd the caller closes; -ENOEXEC if the file
 * is not regular; -ESTALE if it has another inode; -ETIMEDOUT, after a warning, if its file system
 * does not respond; -EINTR if a signal asks pstat to end; -EFBIG if the file, or the sum of all
 * copies, would become too large; or another -errno.
 */
int far_file__open(const struct far_request *request, struct far_file *file);

/* Ends the child process. */
void far_file__end(void);

#endif
