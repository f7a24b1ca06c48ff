// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/mapped-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/machine/build-id.h"
#include "util/machine/elf-file.h"
#include "util/machine/mapped-objects.h"
#include "util/base/regular-file.h"

/* A file to which a path leads, opened for reading once. */
struct candidate {
	int fd; /* -errno: not open */
	struct stat st;
	struct build_id id;
};

/*
 * Opens the file at @path if it can be the file of @mapping. Until that is known, it opens the path with O_PATH only.
 */
static void candidate__open(struct candidate *candidate, int dir, const char *path, enum regular_file_links links,
			    uint64_t inode)
{
	int named = regular_file__name(dir, path, links, &candidate->st), copy;
	struct elf_file elf;

	candidate->id = (struct build_id){ .len = 0 };
	candidate->fd = named;
	if (named < 0)
		return;
	candidate->fd = inode && candidate->st.st_ino != inode ? -ESTALE : regular_file__read_from(named);
	close(named);
	copy = candidate->fd >= 0 ? fcntl(candidate->fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (copy >= 0 && !elf_file__open_fd(&elf, copy)) {
		elf_file__build_id(&elf, &candidate->id);
		elf_file__close(&elf);
	}
}

static void candidate__close(struct candidate *candidate)
{
	if (candidate->fd >= 0)
		close(candidate->fd);
	candidate->fd = -1;
}

static bool has_id(const struct candidate *candidate, const struct build_id *id)
{
	return candidate->fd >= 0 && (!build_id__is_set(id) || build_id__equal(id, &candidate->id));
}

static int take(struct mapped_file *file, const struct candidate *candidate, const char *path, struct build_id *id)
{
	*id = candidate->id;
	file->is_found = true;
	file->st = candidate->st;
	file->path = path ? strdup(path) : NULL;
	return path && !file->path ? -ENOMEM : 0;
}

/* Checks whether the path still leads to the mapped file. This opens no file. */
static int find_mapped_by_path(struct mapped_file *file, const struct mapping *mapping, const struct candidate *mapped,
			       struct build_id *id)
{
	struct stat st;
	int named = regular_file__name(AT_FDCWD, mapping->path, FILE_NO_LINKS, &st);

	if (named < 0)
		return 0;
	close(named);
	return regular_file__same(&st, &mapped->st) ? take(file, mapped, mapping->path, id) : 0;
}

/*
 * Used if the mapped file cannot be seen. The file at the path must have the build id that was reported, or at least
 * the inode.
 */
static int find_alike_by_path(struct mapped_file *file, const struct mapping *mapping, struct build_id *id)
{
	struct candidate there;
	int err = 0;

	if (!build_id__is_set(id) && !mapping->inode)
		return 0;
	candidate__open(&there, AT_FDCWD, mapping->path, FILE_NO_LINKS, mapping->inode);
	if (has_id(&there, id))
		err = take(file, &there, mapping->path, id);
	candidate__close(&there);
	return err;
}

/*
 * Looks below the root directory of the process, which may belong to another mount namespace. That path is valid only
 * as long as the process.
 */
static int find_below_root(struct mapped_file *file, const struct sysroots *roots, const struct mapping *mapping,
			   struct build_id *id)
{
	struct candidate there;
	char root[PATH_MAX];
	int dir;

	if (!build_id__is_set(id) && !mapping->inode)
		return 0;
	snprintf(root, sizeof(root), "%s/%d/root", sysroots__tasks(roots), mapping->pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return 0;
	candidate__open(&there, dir, mapping->path, FILE_NO_LINKS, mapping->inode);
	close(dir);
	if (!has_id(&there, id)) {
		candidate__close(&there);
		return 0;
	}
	file->fd = there.fd;
	return take(file, &there, NULL, id);
}

int mapped_file__find(struct mapped_file *file, const struct sysroots *roots, const struct mapping *mapping,
		      struct build_id *id)
{
	struct candidate mapped;
	char way[PATH_MAX];
	int err;

	*file = (struct mapped_file)MAPPED_FILE_INIT;
	snprintf(way, sizeof(way), "%s/%d/map_files/%llx-%llx", sysroots__tasks(roots), mapping->pid,
		 (unsigned long long)mapping->start, (unsigned long long)(mapping->start + mapping->len));
	candidate__open(&mapped, AT_FDCWD, way, FILE_FOLLOW, 0);
	if (mapped.fd == -ENOEXEC)
		return 0; /* for example, it is a device */
	if (!has_id(&mapped, id))
		candidate__close(&mapped); /* the process has mapped another file there meanwhile */
	err = mapped.fd >= 0 ? find_mapped_by_path(file, mapping, &mapped, id) : find_alike_by_path(file, mapping, id);
	if (!err && !file->is_found && mapped.fd >= 0) {
		err = take(file, &mapped, way, id);
		file->by_process = true;
		file->fd = mapped.fd;
		mapped.fd = -1;
	}
	candidate__close(&mapped);
	return err ?: file->is_found ? 0 : find_below_root(file, roots, mapping, id);
}

void mapped_file__let_go(struct mapped_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

void mapped_file__free(struct mapped_file *file)
{
	mapped_file__let_go(file);
	free(file->path);
	*file = (struct mapped_file)MAPPED_FILE_INIT;
}

int mapped_file__open(const struct mapped_file *file)
{
	struct stat st;
	int named, fd;

	if (file->fd >= 0) {
		fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	if (!file->path)
		return -ENOENT;
	named = regular_file__name(AT_FDCWD, file->path, file->by_process ? FILE_FOLLOW : FILE_NO_LINKS, &st);
	if (named < 0)
		return named;
	fd = regular_file__same(&st, &file->st) ? regular_file__read_from(named) : -ESTALE;
	close(named);
	return fd;
}

bool mapped_file__is_trusted(const struct mapped_file *file)
{
	return file->is_found && (!file->st.st_uid || file->st.st_uid == geteuid());
}
