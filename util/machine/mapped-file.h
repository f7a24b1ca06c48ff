/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a file that a process has mapped is opened again when its symbols are needed. Its owner may have put something else at its path
 * since: the file is known by device and inode, and each opening is checked for them.
 */
#ifndef PSTAT_MACHINE_MAPPED_FILE_H
#define PSTAT_MACHINE_MAPPED_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

struct build_id;
struct mapping;
struct sysroots;

struct mapped_file {
	char *path; /* NULL: no path leads to it */
	int fd;	    /* keeps the file open, where its own path does not lead to it; -1 otherwise */
	bool is_found;
	bool by_process; /* the path is in /proc/PID/map_files, and ends with the process */
	struct stat st;	 /* when it is found */
};

#define MAPPED_FILE_INIT  \
	{                 \
		.fd = -1, \
	}

/*
 * Finds the file of @mapping, and its build id if that is not known (*@id): by what the process has mapped, by the mapping's path, or by its path
 * below the root of the process. If there is none, @file->is_found stays false. 0 or -ENOMEM.
 */
int mapped_file__find(struct mapped_file *file, const struct sysroots *roots, const struct mapping *mapping,
		      struct build_id *id);
/* Closes what was kept open: it is then opened through the process, as long as that runs. */
void mapped_file__let_go(struct mapped_file *file);
void mapped_file__free(struct mapped_file *file);

/* A descriptor to read from it. -errno; -ESTALE when another file is there now; -ENOEXEC when no regular file is. */
int mapped_file__open(const struct mapped_file *file);

/* Does the file belong to root or to this user? */
bool mapped_file__is_trusted(const struct mapped_file *file);

#endif
