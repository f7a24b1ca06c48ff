/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files of other users without blocking on file systems that do not answer. A file system
 * does not answer if its network server is gone, or if its FUSE process is stuck. Processes then
 * block when they resolve a path, request a file's status, or open or read the file. Some of these
 * processes cannot be ended even by SIGKILL (request_wait_answer() in fs/fuse/dev.c). If a process
 * blocks on such a file system in mmap(), other processes that read its /proc/PID/maps block too.
 * So a child process does everything that could block:
 *
 *	far_file__open ── path ──► child: resolve, status, open, build id, copy
 *	       ▲                     │
 *	       └─ fd, status, id ────┘  no answer: pstat abandons the child
 *
 * If a file is on a disk or in the memory of this machine, the child passes a descriptor of the
 * file to pstat. Otherwise, if the content is needed, the child passes a descriptor of a copy in
 * memory, because reading the file itself could block too.
 *
 * Unless noted otherwise, the functions return -ETIMEDOUT, after a warning, if there is no answer,
 * and -EINTR if a signal asks pstat to end (util/base/interrupt.h).
 */
#ifndef PSTAT_MACHINE_FAR_FILE_H
#define PSTAT_MACHINE_FAR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "util/base/regular-file.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/task/exec-file.h"

struct elf_file;

struct far_request {
	char root[64]; /* the root directory for the path; "": pstat's own root */
	const char *path;
	/*
	 * The file must be below one of these directories ("/usr/lib/debug:…"). NULL: anywhere. If
	 * `dirs` is set, `root` and `links` are ignored.
	 */
	const char *dirs;
	enum regular_file_links links;
	uint64_t inode; /* the inode that the file must have; 0: any */
	/*
	 * A number for a group of files that probably all become inaccessible together, for example
	 * the files below one directory. The caller chooses the number. If a request gets no
	 * answer, later requests with the same number fail at once. 0: no group.
	 */
	uint64_t source;
	bool is_read; /* the content is needed, in addition to the status and the build id */
};

struct far_file {
	int fd; /* -1 if the content was not requested and the file system is not local */
	struct stat st;
	struct build_id id; /* not set if the file has none */
};

/*
 * Opens a regular file and fills in @file. The caller closes file->fd. Returns 0; -ENOEXEC if the
 * file is not regular or has no data (regular_file__name()); -ESTALE if its inode is not
 * request->inode; -EXDEV if it is not below any of request->dirs; -EFBIG if it is too large to be
 * copied, or if the child has already copied too many bytes; or another -errno.
 */
int far_file__open(const struct far_request *request, struct far_file *file);

/*
 * Searches the directories @dirs for the debug file with the build id @id (build_id__debug_path()).
 * Returns a descriptor and sets @path to the path of the file; or returns -ENOENT or -EINTR.
 */
int far_file__open_debug(const struct build_id *id, const char *dirs, char *path, size_t size);
/*
 * Like far_file__open_debug(), but opens the debug file as @elf. Returns 0, -ENOENT, -EINTR, or an
 * error of elf_file__open_fd().
 */
int far_file__open_debug_elf(const struct build_id *id, const char *dirs, struct elf_file *elf);

/*
 * Opens the ELF file @path, following symbolic links. Returns 0, or an error of far_file__open() or
 * elf_file__open_fd().
 */
int far_file__open_elf(const char *path, struct elf_file *elf);

/* Returns 0 if the directory @path can be read, or -errno. */
int far_file__check_dir(const char *path);

/*
 * Copies the file @path of procfs into memory. Returns a descriptor of the copy, or -errno. If a
 * seccomp filter refuses memfd_create(2), returns a descriptor of the file itself.
 */
int far_file__copy_proc(const char *path);

/*
 * Finds the file of the command @name in the same way as execvp(3), and stores its path in @file.
 * Sets *@change to the reason why the kernel would remove the events of a process that executes the
 * file, or to EXEC_SAME if the kernel would keep the events (exec-file.h). Returns 0; -ENOENT if
 * there is no such command; or another -errno.
 */
int far_file__find_command(const char *name, char *file, size_t size, enum exec_change *change);

/* Ends the child process. The next request starts a new child. */
void far_file__end(void);

#endif
