// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/mapped-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/far-file.h"
#include "util/machine/symbols/mapped-objects.h"

/* The result of opening a path that may lead to the mapped file. */
struct candidate {
	int err; /* 0, or the -errno with which opening the path failed */
	struct far_file far;
};

static void candidate__open(struct candidate *candidate, const struct far_request *request)
{
	candidate->err = far_file__open(request, &candidate->far);
}

static void candidate__close(struct candidate *candidate)
{
	if (candidate->far.fd >= 0)
		close(candidate->far.fd);
	candidate->far.fd = -1;
}

static bool has_id(const struct candidate *candidate, const struct build_id *id)
{
	return !candidate->err &&
	       (!build_id__is_set(id) || build_id__equal(id, &candidate->far.id));
}

/*
 * Returns far_request.source for the file of @mapping: a number that identifies the device and the
 * process. After a request without an answer, pstat opens no more files with the same number. If
 * the number were the same for all processes, a malicious process could make pstat skip all files
 * on the device, for example by blocking access to its mappings, or by using paths that lead to a
 * file system that does not answer.
 */
static uint64_t source_of(const struct mapping *mapping)
{
	return 1ULL << 63 | (uint64_t)mapping->pid << 32 |
	       (uint32_t)makedev(mapping->major, mapping->minor);
}

static int take(struct mapped_file *file, const struct candidate *candidate, const char *path,
		struct build_id *id)
{
	*id = candidate->far.id;
	file->is_found = true;
	file->st = candidate->far.st;
	file->path = path ? strdup(path) : NULL;
	return path && !file->path ? -ENOMEM : 0;
}

/*
 * Stores the path of the mapping in @file if the path still leads to the file @mapped, which was
 * opened through /proc/PID/map_files.
 */
static int find_mapped_by_path(struct mapped_file *file, const struct mapping *mapping,
			       const struct candidate *mapped, struct build_id *id)
{
	const struct far_request request = { .path = mapping->path,
					     .links = FILE_NO_LINKS,
					     .inode = mapped->far.st.st_ino,
					     .source = source_of(mapping) };
	struct candidate there;
	int err = 0;

	candidate__open(&there, &request);
	if (!there.err && regular_file__same(&there.far.st, &mapped->far.st))
		err = take(file, mapped, mapping->path, id);
	candidate__close(&there);
	return err;
}

/*
 * Like find_mapped_by_path(), but for a file that cannot be opened through /proc/PID/map_files. The
 * file at the path must have the build id and the inode of the mapping. If one of them is unknown,
 * only the other is checked. If both are unknown, the path is not used.
 */
static int find_alike_by_path(struct mapped_file *file, const struct mapping *mapping,
			      struct build_id *id)
{
	const struct far_request request = { .path = mapping->path,
					     .links = FILE_NO_LINKS,
					     .inode = mapping->inode,
					     .source = source_of(mapping) };
	struct candidate there;
	int err = 0;

	if (!build_id__is_set(id) && !mapping->inode)
		return 0;
	candidate__open(&there, &request);
	if (has_id(&there, id))
		err = take(file, &there, mapping->path, id);
	candidate__close(&there);
	return err;
}

/*
 * Like find_alike_by_path(), but opens the path relative to the root directory of the process,
 * which may be in another mount namespace. The path of the root directory is valid only as long as
 * the process exists, so the file is kept open. This is impossible if the file is not on a local
 * file system (far_file.fd), or if too many files are open already (mapped-bounds.h). In these
 * cases, the functions in the file have no names.
 */
static int find_below_root(struct mapped_file *file, const struct sysroots *roots,
			   const struct mapping *mapping, struct build_id *id)
{
	struct far_request request = { .path = mapping->path,
				       .links = FILE_NO_LINKS,
				       .inode = mapping->inode,
				       .source = source_of(mapping) };
	struct candidate there;

	if (!build_id__is_set(id) && !mapping->inode)
		return 0;
	snprintf(request.root, sizeof(request.root), "%s/%d/root", sysroots__tasks(roots),
		 mapping->pid);
	candidate__open(&there, &request);
	if (!has_id(&there, id)) {
		candidate__close(&there);
		return 0;
	}
	file->fd = there.far.fd;
	return take(file, &there, NULL, id);
}

int mapped_file__find(struct mapped_file *file, const struct sysroots *roots,
		      const struct mapping *mapping, struct build_id *id)
{
	char way[PATH_MAX];
	const struct far_request request = { .path = way,
					     .links = FILE_FOLLOW,
					     .source = source_of(mapping) };
	struct candidate mapped;
	bool is_seen;
	int err;

	*file = (struct mapped_file){ .fd = -1, .source = request.source };
	snprintf(way, sizeof(way), "%s/%d/map_files/%llx-%llx", sysroots__tasks(roots),
		 mapping->pid, (unsigned long long)mapping->start,
		 (unsigned long long)(mapping->start + mapping->len));
	candidate__open(&mapped, &request);
	/*
	 * try no other path: the file is not usable (for example, it is a device), its file system
	 * does not answer, or a signal asks pstat to end
	 */
	if (mapped.err == -ENOEXEC || mapped.err == -ETIMEDOUT || mapped.err == -EINTR)
		return 0;
	/*
	 * false: the link in map_files is not accessible, or the process has since mapped another
	 * file at this address
	 */
	is_seen = has_id(&mapped, id);
	err = is_seen ? find_mapped_by_path(file, mapping, &mapped, id) :
			find_alike_by_path(file, mapping, id);
	if (!err && !file->is_found && is_seen) {
		err = take(file, &mapped, way, id);
		file->by_process = true;
		file->fd = mapped.far.fd;
		mapped.far.fd = -1;
	}
	candidate__close(&mapped);
	return err ?: file->is_found ? 0 : find_below_root(file, roots, mapping, id);
}

void mapped_file__close_fd(struct mapped_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

void mapped_file__free(struct mapped_file *file)
{
	mapped_file__close_fd(file);
	free(file->path);
	*file = (struct mapped_file)MAPPED_FILE_INIT;
}

int mapped_file__open(const struct mapped_file *file, struct stat *st)
{
	const struct far_request request = { .path = file->path,
					     .links = file->by_process ? FILE_FOLLOW :
									 FILE_NO_LINKS,
					     .inode = file->st.st_ino,
					     .source = file->source,
					     .is_read = true };
	struct far_file far;
	int err;

	*st = file->st;
	if (file->fd >= 0) {
		int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);

		return fd < 0 ? -errno : fd;
	}
	if (!file->path)
		return -ENOENT;
	err = far_file__open(&request, &far);
	if (err)
		return err;
	if (regular_file__same(&far.st, &file->st)) {
		*st = far.st;
		return far.fd;
	}
	close(far.fd);
	return -ESTALE;
}

bool mapped_file__is_trusted(const struct mapped_file *file)
{
	return file->is_found && (!file->st.st_uid || file->st.st_uid == geteuid());
}
