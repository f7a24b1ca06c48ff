/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ids of the threads to count, in the order in which the user listed them. The threads of a
 * process are in the order in which /proc lists them. Counts are stored by the index of the thread
 * in this list.
 */
#ifndef PSTAT_MACHINE_THREADMAP_H
#define PSTAT_MACHINE_THREADMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct strbuf;
struct sysroots;

struct threadmap {
	int nr;
	pid_t *tids;
};

/*
 * threadmap__of_pids() makes a map of all threads of the processes in @list ("12,3456").
 * threadmap__of_tids() makes a map of the threads in @list. Both return 0 and set *@map; -EINVAL if
 * @list is not a list of ids; -ERANGE if a number cannot be an id; -ESRCH if a process or thread
 * does not exist or is a zombie; or another -errno. For every error except -ENOMEM, both functions
 * add the reason to @why, with the part of @list that caused the error.
 */
int threadmap__of_pids(const struct sysroots *roots, const char *list, struct threadmap **map,
		       struct strbuf *why);
int threadmap__of_tids(const struct sysroots *roots, const char *list, struct threadmap **map,
		       struct strbuf *why);

/* Sets *@map to a map of every thread of every process. Returns 0 or -errno. */
int threadmap__all(const struct sysroots *roots, struct threadmap **map);

/*
 * Sets @comm to the current name of @tid, or to "" if the name cannot be read, for example because
 * the thread no longer exists.
 */
void threadmap__comm(const struct sysroots *roots, pid_t tid, char *comm, size_t size);

/*
 * threadmap__one() returns a map that contains only @tid, and threadmap__new() returns an empty
 * map. Both return NULL if memory ran out.
 */
struct threadmap *threadmap__one(pid_t tid);
struct threadmap *threadmap__new(void);
void threadmap__free(struct threadmap *map);

bool threadmap__has(const struct threadmap *map, pid_t tid);
/* Adds @tid. Returns 0 or -ENOMEM. */
int threadmap__add(struct threadmap *map, pid_t tid);

/*
 * Copies the value of the line @field of /proc/@tid/status to @value. Returns 0; -EINVAL if there
 * is no such line; or another -errno.
 */
int threadmap__status(const struct sysroots *roots, pid_t tid, const char *field, char *value,
		      size_t size);
/* Returns the id of the process to which @tid belongs, or -errno. */
pid_t threadmap__process_of(const struct sysroots *roots, pid_t tid);

#endif
