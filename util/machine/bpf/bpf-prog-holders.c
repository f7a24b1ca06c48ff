// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/number.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/bpf-prog-facts.h"

static int add(struct prog_holders *holders, uint32_t prog, uint32_t holder)
{
	struct prog_holder *pairs = holders->pairs;

	/* the capacity goes from 0 to 1, 2, 4..., so `pairs` is full if `nr` is one of these */
	if (!(holders->nr & (holders->nr - 1))) {
		pairs = realloc(pairs,
				sizeof(*pairs) * (size_t)(holders->nr ? holders->nr * 2 : 1));
		if (!pairs)
			return -ENOMEM;
		holders->pairs = pairs;
	}
	pairs[holders->nr++] = (struct prog_holder){ .prog = prog, .holder = holder };
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct prog_holder *a = left, *b = right;

	if (a->prog != b->prog)
		return a->prog < b->prog ? -1 : 1;
	return a->holder < b->holder ? -1 : a->holder > b->holder;
}

static void sort(struct prog_holders *holders)
{
	int kept = 0;

	if (!holders->nr)
		return;
	qsort(holders->pairs, (size_t)holders->nr, sizeof(*holders->pairs), compare);
	for (int i = 0; i < holders->nr; i++)
		if (!kept || compare(&holders->pairs[kept - 1], &holders->pairs[i]))
			holders->pairs[kept++] = holders->pairs[i];
	holders->nr = kept;
}

void prog_holders__free(struct prog_holders *holders)
{
	free(holders->pairs);
	*holders = (struct prog_holders){ 0 };
}

const struct prog_holder *prog_holders__of(const struct prog_holders *holders, uint32_t prog,
					   int *nr)
{
	const struct prog_holder *first = NULL;

	*nr = 0;
	for (int i = 0; i < holders->nr; i++) {
		if (holders->pairs[i].prog != prog)
			continue;
		first = first ?: &holders->pairs[i];
		++*nr;
	}
	return first;
}

/* ---- processes ---- */

/* Returns the number after "prog_id:" in the fdinfo of a program or link, or 0 if there is none. */
static uint32_t prog_of_fdinfo(const struct sysroots *roots, uint32_t pid, const char *fd)
{
	char path[64], text[1024], *line;
	uint64_t id = 0;

	snprintf(path, sizeof(path), "%u/fdinfo/%.20s", pid, fd);
	if (sysfs__read(sysroots__tasks(roots), path, text, sizeof(text)) < 0)
		return 0;
	line = strstr(text, "\nprog_id:");
	if (!line)
		return 0;
	line += strlen("\nprog_id:");
	line += strspn(line, "\t ");
	line[strcspn(line, "\n")] = '\0';
	return number__parse_uint(line, 1, UINT32_MAX, &id) ? 0 : (uint32_t)id;
}

static uint32_t prog_of_perf_event(uint32_t pid, const char *fd)
{
	__u32 prog = 0, type, len = 0;
	__u64 offset, address;
	uint64_t number;

	if (number__parse_uint(fd, 0, INT_MAX, &number) ||
	    bpf_task_fd_query((int)pid, (int)number, 0, NULL, &len, &prog, &type, &offset,
			      &address))
		return 0;
	return prog;
}

/* Returns the id of the program that process @pid holds through its descriptor @fd, or 0. */
static uint32_t prog_of_fd(const struct sysroots *roots, uint32_t pid, int fds, const char *fd)
{
	char target[64];
	ssize_t len = readlinkat(fds, fd, target, sizeof(target) - 1);

	if (len < 0)
		return 0;
	target[len] = '\0';
	if (!strncmp(target, "anon_inode:bpf", strlen("anon_inode:bpf")))
		return prog_of_fdinfo(roots, pid, fd);
	return strcmp(target, "anon_inode:[perf_event]") ? 0 : prog_of_perf_event(pid, fd);
}

static int add_process(const struct sysroots *roots, uint32_t pid, struct prog_holders *holders)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%u/fd", sysroots__tasks(roots), pid);
	dir = opendir(path);
	if (!dir)
		return 0; /* the process has ended, or belongs to another user */
	while (!err && (entry = readdir(dir))) {
		uint32_t prog = *entry->d_name == '.' ?
					0 :
					prog_of_fd(roots, pid, dirfd(dir), entry->d_name);

		if (prog)
			err = add(holders, prog, pid);
	}
	closedir(dir);
	return err;
}

int prog_holders__processes(const struct sysroots *roots, struct prog_holders *holders)
{
	DIR *dir = opendir(sysroots__tasks(roots));
	struct dirent *entry;
	int err = 0;

	*holders = (struct prog_holders){ 0 };
	while (!err && dir && (entry = readdir(dir))) {
		uint64_t pid;

		if (!number__parse_uint(entry->d_name, 1, INT_MAX, &pid))
			err = add_process(roots, (uint32_t)pid, holders);
	}
	if (dir)
		closedir(dir);
	if (err)
		prog_holders__free(holders);
	sort(holders);
	return err;
}

/* ---- prog arrays ---- */

/* Adds the programs in the map @id if it is a prog array. Ignores a map that no longer exists. */
static int add_map(uint32_t id, struct prog_holders *holders)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id), err = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.type == BPF_MAP_TYPE_PROG_ARRAY) {
		for (__u32 key = 0; !err && key < info.max_entries; key++) {
			__u32 prog = 0;

			if (!bpf_map_lookup_elem(fd, &key, &prog) && prog)
				err = add(holders, prog, id);
		}
	}
	close(fd);
	return err;
}

int prog_holders__prog_arrays(struct prog_holders *holders)
{
	__u32 id = 0;
	int err = 0;

	*holders = (struct prog_holders){ 0 };
	while (!err && !bpf_map_get_next_id(id, &id))
		err = add_map(id, holders);
	if (!err && errno != ENOENT)
		err = -errno;
	if (err)
		prog_holders__free(holders);
	sort(holders);
	return err;
}
