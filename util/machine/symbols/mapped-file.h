/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stores how to open a file that a process has mapped. pstat opens the file later, when it needs
 * the file's symbols. By then, another file may be at the same path. So the device and the inode
 * are checked whenever the file is opened by its path.
 */
#ifndef PSTAT_MACHINE_MAPPED_FILE_H
#define PSTAT_MACHINE_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct build_id;
struct mapping;
struct sysroots;

struct mapped_file {
	char *path; /* NULL: the file can be opened only through `fd`, or not at all */
	/*
	 * open descriptor if no path outside /proc leads to the file, and pstat can keep the file
	 * open; otherwise -1
	 */
	int fd;
	bool is_found;
	/* the path is in /proc/PID/map_files, so it is valid only as long as the process exists */
	bool by_process;
	uint64_t source; /* number of a group of files (far_request.source); 0: no group */
	struct stat st;	 /* status of the file when it was found */
};

#define MAPPED_FILE_INIT  \
	{                 \
		.fd = -1, \
	}

/*
 * Finds the file of @mapping, and sets *@id to the file's build id. If *@id is set already, the
 * file must have this build id. Prefers the path of the mapping. If this path does not lead to the
 * file, uses the mapping's link in /proc/PID/map_files. If the link does not lead to the file
 * either, uses the path of the mapping, relative to the root directory of the process. If the file
 * is not found, file->is_found is false. Returns 0 or -ENOMEM.
 */
int mapped_file__find(struct mapped_file *file, const struct sysroots *roots,
		      const struct mapping *mapping, struct build_id *id);
/*
 * Closes the descriptor. Afterwards, the file can be opened only by its path. If `by_process` is
 * set, this is possible only as long as the process exists.
 */
void mapped_file__close_fd(struct mapped_file *file);
void mapped_file__free(struct mapped_file *file);

/*
 * Opens the file, or a copy of it, for reading, and sets *@st to the status of the file itself.
 * Returns a descriptor; -ESTALE if another file is at the path now; or another -errno, for example
 * an error of far_file__open().
 */
int mapped_file__open(const struct mapped_file *file, struct stat *st);

/* Returns whether the file belongs to root or to the effective user. */
bool mapped_file__is_trusted(const struct mapped_file *file);

#endif
