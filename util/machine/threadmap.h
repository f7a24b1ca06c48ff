/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads to count, by id, in the order of /proc; a place in the list is the thread index of counts. */
#ifndef PSTAT_MACHINE_THREADMAP_H
#define PSTAT_MACHINE_THREADMAP_H

#include <stdbool.h>
#include <sys/types.h>

struct strbuf;
struct sysroots;

struct threadmap {
	int nr;
	pid_t *tids;
};

/*
 * All threads of the processes in @list ("12,3456"), or just the threads named in it.
 * 0 and *@map; -EINVAL (no list of ids), -ERANGE (an id that no process can have), -ESRCH (one that none has), -ENOMEM;
 * in the first three cases @why says in words which id it is.
 */
int threadmap__of_pids(const struct sysroots *roots, const char *list, struct threadmap **map, struct strbuf *why);
int threadmap__of_tids(const struct sysroots *roots, const char *list, struct threadmap **map, struct strbuf *why);

/* Just @tid, or none at all. NULL without memory. */
struct threadmap *threadmap__one(pid_t tid);
struct threadmap *threadmap__new(void);
void threadmap__free(struct threadmap *map);

bool threadmap__has(const struct threadmap *map, pid_t tid);
/* 0 or -ENOMEM. */
int threadmap__add(struct threadmap *map, pid_t tid);

/* The id of the process that @tid is a thread of, or -errno. */
pid_t threadmap__process_of(const struct sysroots *roots, pid_t tid);

#endif
