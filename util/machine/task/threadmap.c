// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/task/threadmap.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/number.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"

bool threadmap__has(const struct threadmap *map, pid_t tid)
{
	for (int i = 0; i < map->nr; i++)
		if (map->tids[i] == tid)
			return true;
	return false;
}

int threadmap__add(struct threadmap *map, pid_t tid)
{
	pid_t *tids = realloc(map->tids, sizeof(*tids) * (size_t)(map->nr + 1));

	if (!tids)
		return -ENOMEM;
	map->tids = tids;
	tids[map->nr++] = tid;
	return 0;
}

int threadmap__status(const struct sysroots *roots, pid_t tid, const char *field, char *value,
		      size_t size)
{
	char path[64], status[8192], *rest = status, *line;
	size_t len = strlen(field);
	int err;

	snprintf(path, sizeof(path), "%d/status", tid);
	err = sysfs__read(sysroots__tasks(roots), path, status, sizeof(status));
	if (err < 0)
		return err;
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, field, len) && line[len] == ':') {
			snprintf(value, size, "%s", line + len + 1 + strspn(line + len + 1, "\t "));
			return 0;
		}
	}
	return -EINVAL;
}

/*
 * Returns whether the thread has ended but is still listed, for example because the parent of its
 * process has not waited for the process. Such a thread cannot be counted.
 */
static bool is_zombie(const struct sysroots *roots, pid_t tid)
{
	char state[32];

	return !threadmap__status(roots, tid, "State", state, sizeof(state)) &&
	       (state[0] == 'Z' || state[0] == 'X');
}

/*
 * Adds the threads of process @pid. Returns 0; -ESRCH if there is no such process, or if it is a
 * zombie; or another -errno.
 */
static int add_process(const struct sysroots *roots, pid_t pid, struct threadmap *map)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int err = 0, before = map->nr;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%d/task", sysroots__tasks(roots), pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err) {
		uint64_t tid;

		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			err = errno == ENOENT ? -ESRCH : -errno;
			break;
		}
		if (!number__parse_uint(entry->d_name, 1, INT_MAX, &tid) &&
		    !is_zombie(roots, (pid_t)tid))
			err = threadmap__add(map, (pid_t)tid);
	}
	closedir(dir);
	if (err)
		return err;
	/* the process may have become a zombie after its main thread was added */
	if (map->nr == before + 1 && map->tids[before] == pid && is_zombie(roots, pid))
		return -ESRCH;
	return map->nr == before ? -ESRCH : 0;
}

/*
 * Returns whether the process or thread @tid exists in this PID namespace, even if /proc does not
 * show it.
 */
static bool is_there(pid_t tid)
{
	return !kill(tid, 0) || errno == EPERM;
}

static int add_thread(const struct sysroots *roots, pid_t tid, struct threadmap *map)
{
	char path[PATH_MAX];

	/*
	 * if /proc does not show this PID namespace, the thread can still be counted, but its name
	 * is unknown
	 */
	if (sysroots__procfs_tasks(roots) != PROCFS_OWN)
		return is_there(tid) ? threadmap__add(map, tid) : -ESRCH;
	/*
	 * /proc/TID exists for every thread, although a listing of /proc shows only the main
	 * threads of processes
	 */
	snprintf(path, sizeof(path), "%s/%d", roots->procfs, tid);
	if (access(path, F_OK))
		return errno == ENOENT ? -ESRCH : -errno;
	return is_zombie(roots, tid) ? -ESRCH : threadmap__add(map, tid);
}

static void explain(const struct sysroots *roots, pid_t id, const char *what, int err,
		    struct strbuf *why)
{
	enum procfs_tasks tasks = sysroots__procfs_tasks(roots);
	bool own = tasks == PROCFS_OWN;

	if (own && err != -ESRCH)
		strbuf__addf(why, "%s %d: %s", what, id, strerror(-err));
	else if (roots != sysroots__host() || !is_there(id))
		strbuf__addf(why, "there is no %s %d", what, id);
	else if (!own)
		strbuf__addf(
			why,
			"the threads of process %d cannot be listed: %s, or name threads with -t",
			id, procfs_tasks__why_not(tasks));
	else
		strbuf__addf(why,
			     "/proc does not show %s %d: it has ended, or /proc hides it (mount "
			     "option hidepid)",
			     what, id);
}

static int add_word(const struct sysroots *roots, const char *word, bool whole_process,
		    struct threadmap *map, struct strbuf *why)
{
	const char *what = whole_process ? "process" : "thread";
	uint64_t id;
	int err = number__parse_uint(word, 1, INT_MAX, &id);

	if (err)
		return reason__set(why, err, "'%s' is not a %s ID", word, what);
	if (threadmap__has(map, (pid_t)id))
		return 0;
	err = (whole_process ? add_process : add_thread)(roots, (pid_t)id, map);
	if (err && err != -ENOMEM)
		explain(roots, (pid_t)id, what, err, why);
	return err;
}

static int threadmap__parse(const struct sysroots *roots, const char *list, bool whole_process,
			    struct threadmap **map, struct strbuf *why)
{
	char *words = strdup(list), *rest = words, *word;
	int err = 0;

	*map = threadmap__new();
	if (!words || !*map)
		err = -ENOMEM;
	/*
	 * like perf, accept spaces before an id, and a comma after the last id, as in the output of
	 * `tr '\n' ,`
	 */
	while (!err && (word = strsep(&rest, ",")))
		if (*word || rest || !(*map)->nr)
			err = add_word(roots, word + strspn(word, " \t"), whole_process, *map, why);
	free(words);
	if (err) {
		threadmap__free(*map);
		*map = NULL;
	}
	return err;
}

int threadmap__of_pids(const struct sysroots *roots, const char *list, struct threadmap **map,
		       struct strbuf *why)
{
	return threadmap__parse(roots, list, true, map, why);
}

int threadmap__of_tids(const struct sysroots *roots, const char *list, struct threadmap **map,
		       struct strbuf *why)
{
	return threadmap__parse(roots, list, false, map, why);
}

int threadmap__all(const struct sysroots *roots, struct threadmap **map)
{
	DIR *dir = opendir(sysroots__tasks(roots));
	struct dirent *entry;
	int err = 0;

	*map = NULL;
	if (!dir)
		return -errno;
	*map = calloc(1, sizeof(**map));
	if (!*map)
		err = -ENOMEM;
	while (!err && (entry = readdir(dir))) {
		uint64_t pid;

		if (number__parse_uint(entry->d_name, 1, INT_MAX, &pid))
			continue;
		err = add_process(roots, (pid_t)pid, *map);
		if (err == -ESRCH)
			err = 0; /* the process has ended since it was listed */
	}
	closedir(dir);
	if (err) {
		threadmap__free(*map);
		*map = NULL;
	}
	return err;
}

void threadmap__comm(const struct sysroots *roots, pid_t tid, char *comm, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/comm", tid);
	if (sysfs__read(sysroots__tasks(roots), path, comm, size) < 0)
		*comm = '\0';
}

struct threadmap *threadmap__one(pid_t tid)
{
	struct threadmap *map = threadmap__new();

	if (map && threadmap__add(map, tid)) {
		free(map);
		map = NULL;
	}
	return map;
}

struct threadmap *threadmap__new(void)
{
	return calloc(1, sizeof(struct threadmap));
}

pid_t threadmap__process_of(const struct sysroots *roots, pid_t tid)
{
	char process[16];
	int err = threadmap__status(roots, tid, "Tgid", process, sizeof(process));

	return err ?: (pid_t)strtol(process, NULL, 10);
}

void threadmap__free(struct threadmap *map)
{
	if (!map)
		return;
	free(map->tids);
	free(map);
}
