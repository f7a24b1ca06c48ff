// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-library.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/machine/symbols/far-file.h"

#define CACHE "/etc/ld.so.cache"
#define MOST_CACHE_BYTES (16 << 20)
/* The maximum number of paths that are kept for one name. Further paths are ignored. */
#define MOST_PATHS 64

bool scope_library__is(const char *file, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(file, name, len) != 0)
		return false;
	if (!file[len])
		return strstr(name, ".so") != NULL;
	if (strstr(name, ".so"))
		return file[len] == '.';
	return !strncmp(file + len, ".so", 3) && (!file[len + 3] || file[len + 3] == '.');
}

static int add(struct library_paths *paths, const char *path)
{
	char **more;

	for (int i = 0; i < paths->nr; i++)
		if (!strcmp(paths->paths[i], path))
			return 0;
	if (paths->nr == MOST_PATHS)
		return 0;
	more = realloc(paths->paths, sizeof(*more) * (size_t)(paths->nr + 1));
	if (!more)
		return -ENOMEM;
	paths->paths = more;
	more[paths->nr] = strdup(path);
	return more[paths->nr] ? (paths->nr++, 0) : -ENOMEM;
}

void library_paths__free(struct library_paths *paths)
{
	for (int i = 0; i < paths->nr; i++)
		free(paths->paths[i]);
	free(paths->paths);
	*paths = (struct library_paths){ 0 };
}

/* ---- the cache: struct cache_file_new in sysdeps/generic/dl-cache.h of glibc ---- */

#define MAGIC_NEW "glibc-ld.so.cache1.1"
#define MAGIC_OLD "ld.so-1.7.0"

struct cache_header {
	char magic[20];
	uint32_t nr, strings_size;
	uint32_t unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path; /* offsets from the header */
	uint32_t os_version;
	uint64_t hwcap; /* 0: the library is for all CPUs */
};

_Static_assert(sizeof(struct cache_header) == 48, "as in the file");
_Static_assert(sizeof(struct cache_entry) == 24, "as in the file");

/*
 * Returns the number of bytes before the cache in the new format. The file can begin with a cache
 * in the old format: a header of 16 bytes and entries of 12 bytes, padded to a multiple of 8 bytes.
 */
static size_t skip_old(const char *text, size_t size)
{
	uint32_t nr;

	if (size < 16 || strncmp(text, MAGIC_OLD, strlen(MAGIC_OLD)) != 0)
		return 0;
	memcpy(&nr, text + 12, sizeof(nr));
	return (16 + (size_t)nr * 12 + 7) & ~(size_t)7;
}

/* Returns the string at @offset, or NULL if the file ends before the string does. */
static const char *string_at(const char *text, size_t size, uint32_t offset)
{
	return offset < size && memchr(text + offset, '\0', size - offset) ? text + offset : NULL;
}

static int find_in(const char *text, size_t size, const char *name, struct library_paths *paths)
{
	size_t skipped = skip_old(text, size);
	struct cache_header header;
	int err = 0;

	if (skipped > size || size - skipped < sizeof(header))
		return 0;
	text += skipped;
	size -= skipped;
	memcpy(&header, text, sizeof(header));
	if (memcmp(header.magic, MAGIC_NEW, sizeof(header.magic)) != 0)
		return 0;
	for (size_t i = 0; i < header.nr && !err; i++) {
		size_t at = sizeof(header) + i * sizeof(struct cache_entry);
		const char *file, *path;
		struct cache_entry entry;

		if (size < sizeof(entry) || at > size - sizeof(entry))
			break;
		memcpy(&entry, text + at, sizeof(entry));
		file = string_at(text, size, entry.name);
		path = string_at(text, size, entry.path);
		/* skip variants that the loader uses only on newer CPUs */
		if (file && path && !entry.hwcap && scope_library__is(file, name))
			err = add(paths, path);
	}
	return err;
}

static ssize_t read_all(int fd, char *text, size_t size)
{
	size_t done = 0;
	ssize_t n = 1;

	while (n > 0 && done < size) {
		n = pread(fd, text + done, size - done, (off_t)done);
		done += n > 0 ? (size_t)n : 0;
	}
	return n < 0 ? -errno : (ssize_t)done;
}

static int find_in_cache(const char *root, const char *name, struct library_paths *paths)
{
	struct far_request request = { .path = CACHE, .links = FILE_FOLLOW, .is_read = true };
	struct far_file file;
	char *text = NULL;
	ssize_t size;
	int err;

	snprintf(request.root, sizeof(request.root), "%s", root);
	err = far_file__open(&request, &file);
	if (err)
		return err == -ENOMEM ? err : 0; /* not every C library uses this file */
	if (file.st.st_size < MOST_CACHE_BYTES)
		text = malloc((size_t)file.st.st_size + 1);
	if (text) {
		size = read_all(file.fd, text, (size_t)file.st.st_size);
		err = size > 0 ? find_in(text, (size_t)size, name, paths) : 0;
	}
	free(text);
	close(file.fd);
	return err;
}

/* ---- directories ---- */

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Adds the libraries in @dir that have the name @name. @dir and the added paths are relative to
 * @root.
 */
static int find_in_dir(const char *root, const char *dir, const char *name,
		       struct library_paths *paths)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int first = paths->nr, err = 0;
	DIR *d;

	if ((size_t)snprintf(path, sizeof(path), "%s%s", root, dir) >= sizeof(path) ||
	    far_file__check_dir(path))
		return 0;
	d = opendir(path);
	while (d && !err && (entry = readdir(d)))
		if (scope_library__is(entry->d_name, name) &&
		    (size_t)snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) <
			    sizeof(path))
			err = add(paths, path);
	if (d)
		closedir(d);
	if (paths->nr > first)
		qsort(paths->paths + first, (size_t)(paths->nr - first), sizeof(*paths->paths),
		      compare);
	return err;
}

static int find_in_environment(const char *name, struct library_paths *paths)
{
	const char *dirs = getenv("LD_LIBRARY_PATH"), *end;
	char dir[PATH_MAX];
	int err = 0;

	for (; dirs && *dirs && !err; dirs = *end ? end + 1 : end) {
		size_t len = strcspn(dirs, ":;");

		end = dirs + len;
		if (len && len < sizeof(dir)) {
			snprintf(dir, sizeof(dir), "%.*s", (int)len, dirs);
			err = find_in_dir("", dir, name, paths);
		}
	}
	return err;
}

int scope_library__find(const char *root, const char *name, struct library_paths *paths)
{
	static const char *const dirs[] = {
#ifdef __x86_64__
		"/lib/x86_64-linux-gnu",
		"/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
		"/lib/aarch64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu",
#endif
		"/lib64",
		"/usr/lib64",
		"/lib",
		"/usr/lib",
		"/usr/local/lib"
	};
	int err = *root ? 0 : find_in_environment(name, paths);

	err = err ?: find_in_cache(root, name, paths);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && !err && !paths->nr; i++)
		err = find_in_dir(root, dirs[i], name, paths);
	return err;
}
