/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Subjects: the threads, BPF programs, scopes (code between two points) or cgroups that are counted
 * separately. Each subject has a column in the counts (counts.h), with the same index as in
 * subjects.list. Subjects can be added while pstat counts, and stay in the list until the session
 * ends. With --cgroup-follow, however, a new cgroup may take the entry of a removed cgroup.
 *
 *	--per-thread
 *	    a subject is a thread that exists when pstat starts
 *	--per-prog
 *	    a subject is a BPF program; with --follow, a program with the same name that is
 *	    loaded after this program was unloaded belongs to the same subject
 *	--per-scope
 *	    a subject is a scope
 *	--for-each-cgroup
 *	    a subject is a cgroup
 *	--for-each-cgroup, together with --per-prog or --per-scope
 *	    a subject is a program or scope in a cgroup; the list contains the subjects of the
 *	    first program or scope, one for each cgroup, then those of the second, and so on
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
 * The properties of all subjects of one kind. The report prints threads and cgroups in perf's
 * format, and recognizes them by the address of this struct.
 */
struct subject_kind {
	/* Returns whether @cfg asks for subjects of this kind. */
	bool (*is_wanted)(const struct stat_config *cfg);
	/*
	 * Adds the subjects that are known before counting. Returns 0 or -ENOMEM. NULL: the
	 * backends add all subjects.
	 */
	int (*list)(struct subjects *subjects, const struct stat_config *cfg);
	/*
	 * the title of the report's column with the names, for example "scope"; NULL: the report
	 * prints the names in the same position as perf
	 */
	const char *column;
	/*
	 * the title of the column with the IDs, to the left of the names; NULL: there is no such
	 * column
	 */
	const char *id_column;
	/*
	 * the maximum width of the column with the names. A longer name shifts the following
	 * columns in its row. 0: no limit
	 */
	int widest;
};

/*
 * The names of all kinds. The properties of the kind NAME are in the variable subject_NAME. The
 * subjects of a session are of the first kind in this list for which is_wanted() returns true. To
 * add a kind, add its name here and define the variable.
 */
#define SUBJECT_KINDS(kind) kind(thread) kind(prog) kind(scope) kind(cgroup)

#define SUBJECT_KIND_DECLARE(name) extern const struct subject_kind subject_##name;
SUBJECT_KINDS(SUBJECT_KIND_DECLARE)

/* The state of a subject. A subject that no longer exists keeps its counts. */
enum subject_state {
	SUBJECT_LIVE,
	SUBJECT_GONE,	  /* no longer exists; some of its counts have not been reported yet */
	SUBJECT_GONE_OLD, /* no longer exists; all its counts have been reported */
	SUBJECT_NONE,	  /* a free entry, which a new cgroup can take (--cgroup-follow) */
};

struct subject {
	enum subject_state state;
	/*
	 * the name of the thread, program, cgroup or scope; owned by the list; may be NULL in a
	 * free entry
	 */
	char *name;
	/*
	 * the kernel's ID of the cgroup or program (with --follow, of the latest program with this
	 * name), or the index of the scope in stat_config.scopes
	 */
	uint64_t id;
	pid_t tid; /* the counted thread; -1: the subject is not a thread */
	/*
	 * the cgroup whose tasks are counted; NULL: there is none, or the subject is a cgroup that
	 * --cgroup-follow found, of which only `name` and `id` are known
	 */
	const struct cgroup *cgroup;
};

struct subjects {
	/* the kind of all subjects; NULL: nothing is counted separately, and the list is empty */
	const struct subject_kind *kind;
	int nr;
	struct subject *list;
	/* the cgroups of --for-each-cgroup; NULL without this option or with --cgroup-follow */
	struct cgroup *const *cgroups;
	int nr_cgroups;
};

/*
 * Fills @subjects with all subjects that @cfg asks for and that are known before counting. Backends
 * add the other subjects. Returns 1; 0 if @cfg asks for no subjects; or -ENOMEM.
 */
int subjects__list(struct subjects *subjects, const struct stat_config *cfg);
/* Returns the kind of subjects that @cfg asks for, or NULL if it asks for none. */
const struct subject_kind *subjects__kind(const struct stat_config *cfg);
/*
 * Adds a subject with a copy of @name, or without a name if @name is NULL. Returns the index of the
 * subject in the list, or -ENOMEM.
 */
int subjects__add(struct subjects *subjects, const char *name, uint64_t id,
		  const struct cgroup *cgroup);
/* Marks the end of an interval: changes the state SUBJECT_GONE to SUBJECT_GONE_OLD. */
void subjects__mark(struct subjects *subjects);
/* Empties the list. */
void subjects__free(struct subjects *subjects);

/*
 * Returns N: the number of cgroups in subjects->cgroups, or 1 if there are none or @subjects is
 * NULL. Each program or scope has N subjects, one for each cgroup. The subjects i, i + N, i + 2 × N
 * … are in the same cgroup.
 */
int subjects__cgroups(const struct subjects *subjects);

/* Returns whether the subjects are threads. @subjects may be NULL. */
bool subjects__are_threads(const struct subjects *subjects);

/*
 * Adds subjects__cgroups() subjects for the program or scope @name: one for each cgroup, or a
 * single subject if there are no cgroups. Returns the index of the program or scope among all
 * programs or scopes, or -ENOMEM.
 */
int subjects__add_parts(struct subjects *subjects, const char *name, uint64_t id);

#endif
