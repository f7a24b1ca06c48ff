// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/mapped-objects.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/number.h"
#include "util/base/sysfs.h"
#include "util/machine/build-id.h"
#include "util/machine/elf-file.h"
#include "util/machine/object.h"
#include "util/machine/process-maps.h"

#define DELETED " (deleted)"

/*
 * A file is one of a build id or, without one, of a path. Where no path leads to it (it was deleted, or is of another mount
 * namespace), it is kept open, as the way over /proc/PID ends with the process.
 */
struct mapped_objects {
	const struct sysroots *roots;
	const char *debug_dirs;
	struct known {
		struct object *object;
		char *path; /* as /proc shows it */
		int fd;	    /* that keeps it open, or -1 */
		unsigned int major, minor;
		uint64_t inode; /* 0: not told */
	} * known;
	size_t nr;
	struct process_maps *maps;
};

struct mapped_objects *mapped_objects__new(const struct sysroots *roots, const char *debug_dirs)
{
	struct mapped_objects *objects = calloc(1, sizeof(*objects));

	if (!objects)
		return NULL;
	objects->roots = roots;
	objects->debug_dirs = debug_dirs;
	objects->maps = process_maps__new();
	if (!objects->maps) {
		free(objects);
		return NULL;
	}
	return objects;
}

static void known__drop(struct known *known)
{
	object__free(known->object);
	free(known->path);
	if (known->fd >= 0)
		close(known->fd);
}

void mapped_objects__free(struct mapped_objects *objects)
{
	if (!objects)
		return;
	for (size_t i = 0; i < objects->nr; i++)
		known__drop(&objects->known[i]);
	free(objects->known);
	process_maps__free(objects->maps);
	free(objects);
}

size_t mapped_objects__nr(const struct mapped_objects *objects)
{
	return objects->nr;
}

const struct object *mapped_objects__get(const struct mapped_objects *objects, size_t i)
{
	return objects->known[i].object;
}

struct object *mapped_objects__by_build_id(struct mapped_objects *objects, const struct build_id *id)
{
	for (size_t i = 0; i < objects->nr; i++)
		if (build_id__equal(object__build_id(objects->known[i].object), id))
			return objects->known[i].object;
	return NULL;
}

struct object *mapped_objects__by_address(struct mapped_objects *objects, pid_t pid, uint64_t address, uint64_t *offset)
{
	const struct mapped_range *range = process_maps__find(objects->maps, pid, address);

	if (!range)
		return NULL;
	*offset = range->offset + (address - range->start);
	return range->object;
}

static bool is_file(const char *path)
{
	return path[0] == '/' && path[1] != '/';
}

static int build_id_of(const char *path, struct build_id *id)
{
	struct elf_file file;
	int err = elf_file__open(&file, path);

	if (err)
		return err;
	elf_file__build_id(&file, id);
	elf_file__close(&file);
	return 0;
}

/* Does @path lead to the file of build id @id, or, when that is not known, to any? Then *@id is known. */
static bool leads_there(const char *path, struct build_id *id)
{
	struct build_id found = { .len = 0 };

	if (build_id_of(path, &found) || (build_id__is_set(id) && !build_id__equal(id, &found)))
		return false;
	*id = found;
	return true;
}

/*
 * Is the file at @path the one that @mapping is of, which the process has at @way? For those without a build id: it may be of another
 * mount namespace.
 */
static bool is_mapped(const struct mapping *mapping, const char *path, const char *way)
{
	struct stat there, mapped;

	if (stat(path, &there))
		return false;
	if (!stat(way, &mapped))
		return there.st_dev == mapped.st_dev && there.st_ino == mapped.st_ino;
	/* the process has ended; devices have another number in records than here, on some file systems */
	return !mapping->inode || there.st_ino == mapping->inode;
}

/*
 * Where the file of @mapping can be opened: by its own path, or through the process, and then it is kept open as *@fd. @path is empty
 * when it cannot be. *@id is what is known of it, and more afterwards.
 */
static void find_way(const struct mapped_objects *objects, const struct mapping *mapping, struct build_id *id,
		     char *path, size_t size, int *fd)
{
	const char *procfs = sysroots__tasks(objects->roots);
	char way[2][PATH_MAX];

	*fd = -1;
	snprintf(way[0], sizeof(way[0]), "%s/%d/map_files/%llx-%llx", procfs, mapping->pid,
		 (unsigned long long)mapping->start, (unsigned long long)(mapping->start + mapping->len));
	snprintf(way[1], sizeof(way[1]), "%s/%d/root%s", procfs, mapping->pid, mapping->path);
	if (!build_id__is_set(id))
		build_id_of(way[0], id); /* what is mapped, whatever is at that path by now */
	snprintf(path, size, "%s", mapping->path);
	if ((build_id__is_set(id) || is_mapped(mapping, path, way[0])) && leads_there(path, id))
		return;
	*path = '\0';
	for (int i = 0; i < 2; i++) {
		if (!leads_there(way[i], id))
			continue;
		*fd = open(way[i], O_RDONLY | O_CLOEXEC);
		if (*fd >= 0) {
			snprintf(path, size, "/proc/self/fd/%d", *fd);
			return;
		}
	}
}

static int add_known(struct mapped_objects *objects, const struct known *added)
{
	struct known *known = realloc(objects->known, sizeof(*known) * (objects->nr + 1));

	if (!known)
		return -ENOMEM;
	objects->known = known;
	known[objects->nr++] = *added;
	return 0;
}

/* "/tmp/x (deleted)" is what was at /tmp/x. */
static char *name_of(const char *path)
{
	size_t len = strlen(path), cut = strlen(DELETED);
	bool deleted = len > cut && !strcmp(path + len - cut, DELETED);

	return *path ? strndup(path, deleted ? len - cut : len) : strdup("[anon]");
}

static int make_object(struct mapped_objects *objects, const struct mapping *mapping, struct known *known)
{
	struct build_id id = { .len = 0 };
	char path[PATH_MAX] = "", *name = name_of(mapping->path);
	int err = 0;

	if (mapping->id)
		id = *mapping->id;
	known->fd = -1;
	known->path = strdup(mapping->path);
	if (!name || !known->path)
		err = -ENOMEM;
	if (!err && is_file(mapping->path))
		find_way(objects, mapping, &id, path, sizeof(path), &known->fd);
	if (!err)
		known->object = object__new(name, *path ? path : NULL, &id, objects->debug_dirs);
	free(name);
	if (!known->object)
		err = -ENOMEM;
	return err;
}

/* The file of @mapping if it is known already: by build id where that was told, else by path and, where told, inode. */
static struct object *find_known(const struct mapped_objects *objects, const struct mapping *mapping)
{
	for (size_t i = 0; i < objects->nr; i++) {
		const struct known *known = &objects->known[i];
		const struct build_id *id = object__build_id(known->object);

		if (mapping->id ? build_id__equal(mapping->id, id) :
				  !strcmp(known->path, mapping->path) && known->inode == mapping->inode &&
					  known->major == mapping->major && known->minor == mapping->minor)
			return known->object;
	}
	return NULL;
}

int mapped_objects__add(struct mapped_objects *objects, const struct mapping *mapping)
{
	struct known known = { .fd = -1, .major = mapping->major, .minor = mapping->minor, .inode = mapping->inode };
	struct mapped_range range = { .start = mapping->start,
				      .end = mapping->start + mapping->len,
				      .offset = mapping->offset };
	int err = 0;

	range.object = find_known(objects, mapping);
	if (!range.object) {
		err = make_object(objects, mapping, &known);
		err = err ?: add_known(objects, &known);
		if (err) {
			known__drop(&known);
			return err;
		}
		range.object = known.object;
	}
	return process_maps__add(objects->maps, mapping->pid, &range);
}

int mapped_objects__fork(struct mapped_objects *objects, pid_t parent, pid_t child)
{
	return process_maps__copy(objects->maps, parent, child);
}

void mapped_objects__end(struct mapped_objects *objects, pid_t pid)
{
	process_maps__end(objects->maps, pid);
}

/* A line of /proc/PID/maps: `START-END PERMISSIONS OFFSET MAJOR:MINOR INODE PATH`, all but the inode hexadecimal. */
static int add_line(struct mapped_objects *objects, pid_t pid, char *line)
{
	unsigned long long start, end, offset, inode;
	struct mapping mapping = { .pid = pid };
	char permissions[5];
	int path_at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, permissions, &offset, &mapping.major,
		   &mapping.minor, &inode, &path_at) != 7 ||
	    !path_at || !strchr(permissions, 'x') || end <= start)
		return 0;
	mapping.start = start;
	mapping.len = end - start;
	mapping.offset = offset;
	mapping.inode = inode;
	mapping.path = line + path_at;
	return mapped_objects__add(objects, &mapping);
}

int mapped_objects__add_process(struct mapped_objects *objects, pid_t pid)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	FILE *file;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%d/maps", sysroots__tasks(objects->roots), pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && getline(&line, &size, file) > 0)
		err = add_line(objects, pid, line);
	free(line);
	fclose(file);
	return err;
}

int mapped_objects__add_all(struct mapped_objects *objects)
{
	DIR *dir = opendir(sysroots__tasks(objects->roots));
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		uint64_t pid;

		if (number__parse_uint(entry->d_name, 1, INT_MAX, &pid))
			continue;
		err = mapped_objects__add_process(objects, (pid_t)pid);
		if (err != -ENOMEM)
			err = 0; /* it has ended meanwhile, or is none of ours */
	}
	closedir(dir);
	return err;
}
