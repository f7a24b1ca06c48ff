/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Subjects: the threads, programs, scopes or cgroups that are counted separately. Each subject is
 * a column of the counts (counts.h), and its place in the list is the index of that column.
 * Subjects can be added while pstat counts, and stay in the list until the session ends. If nothing
 * is counted separately, there is no list.
 *
 *	--per-thread
 *	    a subject is a thread that exists at the start
 *	--per-prog
 *	    a subject is a BPF program; with --follow it is also each program of the same name
 *	    that is loaded after the first one was unloaded
 *	--per-scope
 *	    a subject is a scope
 *	--for-each-cgroup
 *	    a subject is a cgroup
 *	--for-each-cgroup and --per-prog or --per-scope
 *	    a subject is a program or scope in a cgroup: all cgroups of the first program or
 *	    scope, then all cgroups of the second one
 */
#ifndef PSTAT_COUNT_SUBJECTS_H
#define PSTAT_COUNT_SUBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cgroup;
struct stat_config;
struct subjects;

/*
 * What subjects of one kind have in common. The session, the report and the outputs handle all
 * kinds by these properties. Only threads and cgroups, which perf prints in its own way, are also
 * recognized by the address of their kind.
 */
struct subject_kind {
	/* Returns whether @cfg asks for subjects of this kind. */
	bool (*is_wanted)(const struct stat_config *cfg);
	/* Returns 0 or -ENOMEM. NULL: backends add all subjects when they are opened. */
	int (*list)(struct subjects *subjects, const struct stat_config *cfg);
	/* the column of the names, for example "scope"; NULL: the names are in a column of perf */
	const char *column;
	const char *id_column; /* the column of the IDs, before that of the names; NULL: none */
	/* longer names do not move the columns of other rows; 0: no limit */
	int widest;
};

/*
 * The names of all kinds; the kind is subject_NAME. The first kind that is wanted applies. To add a
 * kind, add its name here, and a file that defines the kind.
 */
#define SUBJECT_KINDS(kind) kind(thread) kind(prog) kind(scope) kind(cgroup)

#define SUBJECT_KIND_DECLARE(name) extern const struct subject_kind subject_##name;
SUBJECT_KINDS(SUBJECT_KIND_DECLARE)

/* A subject that is no longer live keeps its counts. */
enum subject_state {
	SUBJECT_LIVE,
	SUBJECT_GONE,	  /* it has counts that no interval has shown */
	SUBJECT_GONE_OLD, /* all its counts have been shown in intervals */
	SUBJECT_NONE,	  /* the place is free: there is no name and no count */
};

struct subject {
	enum subject_state state;
	char *name;  /* name of the thread, program, cgroup or scope; owned by the list */
	uint64_t id; /* the kernel's ID of the cgroup, or of the program that was counted last */
	pid_t tid;   /* the counted thread; -1: not a single thread */
	/* the counted tasks; NULL: all tasks, or only the id of the cgroup is known */
	const struct cgroup *cgroup;
};

struct subjects {
	const struct subject_kind *kind; /* the kind of all subjects */
	int nr;
	struct subject *list;
	/*
	 * the cgroups of --for-each-cgroup; none if pstat follows cgroups that are created and
	 * removed
	 */
	struct cgroup *const *cgroups;
	int nr_cgroups;
};

/*
 * Makes the list that @cfg asks for, with all subjects that are known before counting. Backends add
 * the others. Returns 1, 0 if nothing is counted separately, or -ENOMEM.
 */
int subjects__list(struct subjects *subjects, const struct stat_config *cfg);
/* Returns the kind of the subjects that @cfg asks for, or NULL. */
const struct subject_kind *subjects__kind(const struct stat_config *cfg);
/* Adds a subject with a copy of @name, which may be NULL. Returns its place, or -ENOMEM. */
int subjects__add(struct subjects *subjects, const char *name, uint64_t id,
		  const struct cgroup *cgroup);
/* Marks the end of an interval: all counts of subjects that are gone have now been shown. */
void subjects__mark(struct subjects *subjects);
/* Empties the list. */
void subjects__free(struct subjects *subjects);

/*
 * Returns the number of cgroups of --for-each-cgroup, or 1 if there are none or @subjects is NULL.
 * Each program or scope has this number of subjects, N. The subjects i, i + N, i + 2 × N … are in
 * the same cgroup.
 */
int subjects__cgroups(const struct subjects *subjects);

/*
 * Returns whether the subjects are threads. Unlike cgroups, perf prints all threads of one event
 * before the next event, and uses the values of tool events for all threads together.
 */
bool subjects__are_threads(const struct subjects *subjects);

/*
 * Adds the subjects of a program or scope: one, or one for each cgroup. Returns the number of the
 * program or scope in their order, or -ENOMEM.
 */
int subjects__add_parts(struct subjects *subjects, const char *name, uint64_t id);

#endif
