// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/mapped-objects.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/interrupt.h"
#include "util/base/number.h"
#include "util/base/sysfs.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/far-file.h"
#include "util/machine/symbols/jit-maps.h"
#include "util/machine/symbols/mapped-bounds.h"
#include "util/machine/symbols/mapped-file.h"
#include "util/machine/symbols/memory-shares.h"
#include "util/machine/symbols/object.h"
#include "util/machine/symbols/process-maps.h"

#define DELETED " (deleted)"

/*
 * The files that processes have mapped as code. A file is identified by its path and build id or,
 * if the kernel reported no build id, by path, device and inode. If no path outside /proc leads to
 * a file, because the file was deleted or is in another mount namespace, pstat tries to keep the
 * file open: a path through /proc/PID is valid only as long as the process exists.
 */
struct mapped_objects {
	const struct sysroots *roots;
	const char *debug_dirs;
	struct known {
		struct object *object;
		char *path; /* a copy of mapping.path */
		unsigned int major, minor;
		uint64_t inode;	    /* 0: not reported */
		struct build_id id; /* the build id, if it was reported */
	} * known;
	size_t nr, room;
	/*
	 * Two hash tables. The keys of by_key are what identifies a file (see above); those of
	 * by_id are build ids. An entry is an index in `known` plus 1; 0: empty.
	 */
	size_t *by_key, *by_id;
	size_t nr_places; /* in each table: a power of two */
	struct process_maps *maps;
	struct memory_shares shares;
	struct mapped_bounds *bounds;
	struct jit_maps *jit;
};

struct mapped_objects *mapped_objects__new(const struct sysroots *roots, const char *debug_dirs)
{
	struct mapped_objects *objects = calloc(1, sizeof(*objects));

	if (!objects)
		return NULL;
	objects->roots = roots;
	objects->debug_dirs = debug_dirs;
	objects->maps = process_maps__new();
	objects->bounds = mapped_bounds__new();
	objects->jit = jit_maps__new(roots, &objects->shares);
	if (!objects->maps || !objects->bounds || !objects->jit) {
		mapped_objects__free(objects);
		return NULL;
	}
	return objects;
}

static void known__drop(struct known *known)
{
	object__free(known->object);
	free(known->path);
}

void mapped_objects__free(struct mapped_objects *objects)
{
	if (!objects)
		return;
	for (size_t i = 0; i < objects->nr; i++)
		known__drop(&objects->known[i]);
	free(objects->known);
	free(objects->by_key);
	free(objects->by_id);
	mapped_bounds__free(objects->bounds);
	jit_maps__free(objects->jit);
	process_maps__free(objects->maps);
	far_file__end();
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

struct object *mapped_objects__by_address(struct mapped_objects *objects, pid_t pid,
					  uint64_t address, uint64_t *offset)
{
	const struct mapped_range *range = process_maps__find(objects->maps, pid, address);

	if (!range)
		return NULL;
	*offset = range->offset + (address - range->start);
	return range->object;
}

const char *mapped_objects__jit_function(struct mapped_objects *objects, pid_t pid,
					 uint64_t address, const char **file)
{
	const struct mapped_range *range = process_maps__find(objects->maps, pid, address);

	if (range && !object__is_memory(range->object))
		return NULL;
	return jit_maps__find(objects->jit, pid, address, file);
}

/* ---- hash tables ---- */

/* The hash function FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3;
	return hash;
}

#define HASH_START 0xcbf29ce484222325

static uint64_t hash_id(const struct build_id *id)
{
	uint64_t hash = hash_bytes(HASH_START, id->bytes, sizeof(id->bytes));

	return hash ^ hash >> 32;
}

static uint64_t hash_key(const char *path, const struct build_id *id, unsigned int major,
			 unsigned int minor, uint64_t inode)
{
	uint64_t hash = hash_bytes(HASH_START, path, strlen(path)),
		 numbers[] = { major, minor, inode };

	hash = hash_bytes(hash, id->bytes, sizeof(id->bytes));
	hash = hash_bytes(hash, numbers, sizeof(numbers));
	return hash ^ hash >> 32;
}

static const struct known *known_at(const struct mapped_objects *objects, size_t place)
{
	return &objects->known[place - 1];
}

/* Returns the entry for @id in by_id, or the empty entry that a file with this build id can use. */
static size_t *place_of_id(const struct mapped_objects *objects, const struct build_id *id)
{
	size_t at = hash_id(id) & (objects->nr_places - 1);

	while (objects->by_id[at] &&
	       !build_id__equal(object__build_id(known_at(objects, objects->by_id[at])->object),
				id))
		at = (at + 1) & (objects->nr_places - 1);
	return &objects->by_id[at];
}

/*
 * Adds the file @place (an index in `known` plus 1) to by_id. If several files have the same build
 * id, the first one is used, but a trusted file (object.h) replaces another user's file.
 */
static void index_id(struct mapped_objects *objects, size_t place)
{
	const struct object *object = known_at(objects, place)->object;
	size_t *at;

	if (!build_id__is_set(object__build_id(object)))
		return;
	at = place_of_id(objects, object__build_id(object));
	if (!*at ||
	    (object__is_trusted(object) && !object__is_trusted(known_at(objects, *at)->object)))
		*at = place;
}

static void index_key(struct mapped_objects *objects, size_t place)
{
	const struct known *known = known_at(objects, place);
	size_t at = hash_key(known->path, &known->id, known->major, known->minor, known->inode) &
		    (objects->nr_places - 1);

	while (objects->by_key[at])
		at = (at + 1) & (objects->nr_places - 1);
	objects->by_key[at] = place;
}

/* Enlarges the tables so that they are at most half full. */
static int grow_tables(struct mapped_objects *objects)
{
	size_t nr = objects->nr_places ? 2 * objects->nr_places : 256;
	size_t *by_key = calloc(nr, sizeof(*by_key)), *by_id = calloc(nr, sizeof(*by_id));

	if (!by_key || !by_id) {
		free(by_key);
		free(by_id);
		return -ENOMEM;
	}
	free(objects->by_key);
	free(objects->by_id);
	objects->by_key = by_key;
	objects->by_id = by_id;
	objects->nr_places = nr;
	for (size_t place = 1; place <= objects->nr; place++) {
		index_key(objects, place);
		index_id(objects, place);
	}
	return 0;
}

static int add_known(struct mapped_objects *objects, const struct known *added)
{
	if (objects->nr == objects->room) {
		size_t room = objects->room ? 2 * objects->room : 64;
		struct known *known = realloc(objects->known, sizeof(*known) * room);

		if (!known)
			return -ENOMEM;
		objects->known = known;
		objects->room = room;
	}
	if (2 * (objects->nr + 1) > objects->nr_places && grow_tables(objects))
		return -ENOMEM;
	objects->known[objects->nr++] = *added;
	index_key(objects, objects->nr);
	index_id(objects, objects->nr);
	return 0;
}

struct object *mapped_objects__by_build_id(struct mapped_objects *objects,
					   const struct build_id *id)
{
	size_t place = objects->nr_places && build_id__is_set(id) ? *place_of_id(objects, id) : 0;

	return place ? known_at(objects, place)->object : NULL;
}

/* Returns the file of @mapping if it is known, otherwise NULL. */
static struct object *find_known(const struct mapped_objects *objects,
				 const struct mapping *mapping)
{
	static const struct build_id none;
	const struct build_id *id = mapping->id ?: &none;
	size_t at = hash_key(mapping->path, id, mapping->major, mapping->minor, mapping->inode);

	for (; objects->nr_places; at++) {
		const struct known *known;

		at &= objects->nr_places - 1;
		if (!objects->by_key[at])
			return NULL;
		known = known_at(objects, objects->by_key[at]);
		if (known->inode == mapping->inode && known->major == mapping->major &&
		    known->minor == mapping->minor && build_id__equal(&known->id, id) &&
		    !strcmp(known->path, mapping->path))
			return known->object;
	}
	return NULL;
}

/* ---- files ---- */

static bool is_file(const char *path)
{
	return path[0] == '/' && path[1] != '/';
}

/*
 * Returns a copy of @path without " (deleted)". For anonymous memory, whose path is empty in /proc
 * and "//anon" in the kernel's records, returns "[anon]".
 */
static char *name_of(const char *path)
{
	size_t len = strlen(path), cut = strlen(DELETED);
	bool deleted = len > cut && !strcmp(path + len - cut, DELETED);

	if (!*path || !strcmp(path, "//anon"))
		return strdup("[anon]");
	return strndup(path, deleted ? len - cut : len);
}

static int make_object(struct mapped_objects *objects, const struct mapping *mapping,
		       struct known *known)
{
	struct mapped_file file = MAPPED_FILE_INIT;
	struct build_id id = { .len = 0 };
	char *name = name_of(mapping->path);
	int err = 0;

	if (mapping->id)
		id = *mapping->id;
	known->id = id;
	known->path = strdup(mapping->path);
	if (!name || !known->path)
		err = -ENOMEM;
	if (!err && is_file(mapping->path) && !interrupt__is_due())
		err = mapped_file__find(&file, objects->roots, mapping, &id);
	/*
	 * if too many files are open already, close this file; perhaps it can still be opened
	 * through /proc/PID as long as the process exists
	 */
	if (file.fd >= 0 && !mapped_bounds__may_keep(objects->bounds, mapping->pid))
		mapped_file__close_fd(&file);
	if (!err)
		known->object = object__new(name, NULL, &id, objects->debug_dirs);
	free(name);
	if (known->object)
		object__take_file(known->object, &file, &objects->shares);
	else
		mapped_file__free(&file);
	return known->object ? 0 : -ENOMEM;
}

/* Finds or adds the file of @mapping. Sets *@object to NULL if no more files can be added. */
static int find_or_make(struct mapped_objects *objects, const struct mapping *mapping,
			struct object **object)
{
	struct known known = { .major = mapping->major,
			       .minor = mapping->minor,
			       .inode = mapping->inode };
	int err;

	*object = find_known(objects, mapping);
	if (*object ||
	    !mapped_bounds__may_add(objects->bounds, mapping->pid, strlen(mapping->path)))
		return 0;
	err = make_object(objects, mapping, &known);
	err = err ?: add_known(objects, &known);
	if (err)
		known__drop(&known);
	else
		*object = known.object;
	return err;
}

int mapped_objects__add(struct mapped_objects *objects, const struct mapping *mapping)
{
	struct mapped_range range = { .start = mapping->start,
				      .end = mapping->start + mapping->len,
				      .offset = mapping->offset };
	int err = find_or_make(objects, mapping, &range.object);

	if (!err && range.object && object__is_memory(range.object))
		err = jit_maps__note(objects->jit, mapping->pid);
	if (err || !range.object)
		return err;
	err = process_maps__add(objects->maps, mapping->pid, &range);
	if (err != -E2BIG)
		return err;
	mapped_bounds__too_many_ranges(objects->bounds, mapping->pid);
	return 0;
}

int mapped_objects__fork(struct mapped_objects *objects, pid_t parent, pid_t child)
{
	int err = process_maps__copy(objects->maps, parent, child);

	return err ?: jit_maps__fork(objects->jit, parent, child);
}

void mapped_objects__end(struct mapped_objects *objects, pid_t pid)
{
	process_maps__end(objects->maps, pid);
	jit_maps__end(objects->jit, pid);
}

/*
 * Adds the mapping in one line of /proc/PID/maps: `START-END PERMISSIONS OFFSET MAJOR:MINOR INODE
 * PATH`. All numbers except the inode are hexadecimal. Skips mappings that are not executable.
 * Returns 0 or -ENOMEM.
 */
static int add_line(struct mapped_objects *objects, pid_t pid, char *line)
{
	unsigned long long start, end, offset, inode;
	struct mapping mapping = { .pid = pid };
	char permissions[5];
	int path_at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, permissions, &offset,
		   &mapping.major, &mapping.minor, &inode, &path_at) != 7 ||
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
	int err = 0, fd;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d/maps", sysroots__tasks(objects->roots), pid);
	fd = far_file__copy_proc(path);
	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && !interrupt__is_due() && getline(&line, &size, file) > 0)
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
	while (!err && !interrupt__is_due() && (entry = readdir(dir))) {
		uint64_t pid;

		if (number__parse_uint(entry->d_name, 1, INT_MAX, &pid))
			continue;
		err = mapped_objects__add_process(objects, (pid_t)pid);
		if (err != -ENOMEM)
			err = 0; /* for example, the process has ended */
	}
	closedir(dir);
	return err;
}
