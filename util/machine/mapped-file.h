/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How to open a file that a process has mapped, at a later time when its symbols are needed. Its owner may have
 * replaced the file at its path by then. So the file is identified by device and inode, and every open checks them.
 */
#ifndef PSTAT_MACHINE_MAPPED_FILE_H
#define PSTAT_MACHINE_MAPPED_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

struct build_id;
struct mapping;
struct sysroots;

struct mapped_file {
	char *path; /* NULL: no path leads to the file */
	int fd;	    /* an open descriptor, if the file's own path does not lead to it; -1 otherwise */
	bool is_found;
	bool by_process; /* the path is in /proc/PID/map_files and is valid only as long as the process */
	struct stat st;	 /* status of the file when it was found */
};

#define MAPPED_FILE_INIT  \
	{                 \
		.fd = -1, \
	}

/*
 * Finds the file of @mapping, and also its build id if *@id is not known. Tries the file that the process has mapped,
 * then the mapping's path, then that path below the root directory of the process. If there is no such file,
 * @file->is_found stays false. Returns 0 or -ENOMEM.
 */
int mapped_file__find(struct mapped_file *file, const struct sysroots *roots, const struct mapping *mapping,
		      struct build_id *id);
/*
 * Closes the descriptor that was kept open. From then on the file is opened through the process, as long as that
 * exists.
 */
void mapped_file__let_go(struct mapped_file *file);
void mapped_file__free(struct mapped_file *file);

/*
 * Opens the file, or a copy of it, for reading, and fills the file's status in *@st. Returns a descriptor or -errno:
 * -ESTALE if another file is at its path now; -ENOEXEC if there is no regular file; see also far_file__open().
 */
int mapped_file__open(const struct mapped_file *file, struct stat *st);

/* Does the file belong to root or to the effective user? */
bool mapped_file__is_trusted(const struct mapped_file *file);

#endif
