// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/subjects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/count/stat-config.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/task/threadmap.h"

/* longer than the 15 characters of a task's name: names of kernel workers can be longer */
#define COMM_SIZE 64
int subjects__add(struct subjects *subjects, const char *name, uint64_t id,
		  const struct cgroup *cgroup)
{
	struct subject *bigger =
		realloc(subjects->list, sizeof(*bigger) * ((size_t)subjects->nr + 1));
	char *copy = name ? strdup(name) : NULL;

	if (bigger)
		subjects->list = bigger;
	if (!bigger || (name && !copy)) {
		free(copy);
		return -ENOMEM;
	}
	bigger[subjects->nr] =
		(struct subject){ .name = copy, .id = id, .tid = -1, .cgroup = cgroup };
	return subjects->nr++;
}

int subjects__cgroups(const struct subjects *subjects)
{
	return subjects && subjects->nr_cgroups ? subjects->nr_cgroups : 1;
}

bool subjects__are_threads(const struct subjects *subjects)
{
	return subjects && subjects->kind == SUBJECT_THREAD;
}

int subjects__add_parts(struct subjects *subjects, const char *name, uint64_t id)
{
	int per_prog = subjects__cgroups(subjects), first = subjects->nr, place = 0;

	for (int i = 0; place >= 0 && i < per_prog; i++)
		place = subjects__add(subjects, name, id,
				      subjects->nr_cgroups ? subjects->cgroups[i] : NULL);
	if (place >= 0)
		return first / per_prog;
	while (subjects->nr > first)
		free(subjects->list[--subjects->nr].name);
	return place;
}

void subjects__mark(struct subjects *subjects)
{
	for (int i = 0; i < subjects->nr; i++)
		if (subjects->list[i].state == SUBJECT_GONE)
			subjects->list[i].state = SUBJECT_GONE_OLD;
}

void subjects__free(struct subjects *subjects)
{
	for (int i = 0; i < subjects->nr; i++)
		free(subjects->list[i].name);
	free(subjects->list);
	subjects->list = NULL;
	subjects->nr = 0;
}

/* ---- the options that count subjects separately, and the subjects known before counting ---- */

static bool wants_threads(const struct stat_config *cfg)
{
	return cfg->aggr_mode == AGGR_THREAD && cfg->threads;
}

/* Lists the threads with their current names. */
static int list_threads(struct subjects *subjects, const struct stat_config *cfg)
{
	int place = 0;

	for (int i = 0; place >= 0 && i < cfg->threads->nr; i++) {
		char comm[COMM_SIZE];

		threadmap__comm(sysroots__host(), cfg->threads->tids[i], comm, sizeof(comm));
		place = subjects__add(subjects, comm, 0, NULL);
		if (place >= 0)
			subjects->list[place].tid = cfg->threads->tids[i];
	}
	return place < 0 ? place : 0;
}

static bool wants_progs(const struct stat_config *cfg)
{
	return cfg->per_prog;
}

static bool wants_scopes(const struct stat_config *cfg)
{
	return cfg->per_scope;
}

static bool wants_cgroups(const struct stat_config *cfg)
{
	return stat_config__for_each_cgroup(cfg);
}

static int list_cgroups(struct subjects *subjects, const struct stat_config *cfg)
{
	int place = 0;

	for (int i = 0; place >= 0 && i < cfg->nr_each_cgroup; i++)
		place = subjects__add(subjects, cfg->each_cgroup[i]->name, cfg->each_cgroup[i]->id,
				      cfg->each_cgroup[i]);
	return place < 0 ? place : 0;
}

/*
 * The first row whose option is given applies. Programs and scopes can also be counted separately
 * for each cgroup. The subjects are then programs in cgroups, or scopes in cgroups.
 */
static const struct subject_list {
	enum subject_kind kind;
	bool (*is_wanted)(const struct stat_config *cfg);
	/* Returns 0 or -ENOMEM. NULL: backends add all subjects when they are opened. */
	int (*list)(struct subjects *subjects, const struct stat_config *cfg);
} lists[] = {
	{ SUBJECT_THREAD, wants_threads, list_threads },
	{ SUBJECT_PROG, wants_progs, NULL },
	{ SUBJECT_SCOPE, wants_scopes, NULL },
	{ SUBJECT_CGROUP, wants_cgroups, list_cgroups },
};

static const struct subject_list *find_list(const struct stat_config *cfg)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].is_wanted(cfg))
			return &lists[i];
	return NULL;
}

bool subjects__are_of(enum subject_kind kind, const struct stat_config *cfg)
{
	const struct subject_list *list = find_list(cfg);

	return list && list->kind == kind;
}

int subjects__list(struct subjects *subjects, const struct stat_config *cfg)
{
	const struct subject_list *list = find_list(cfg);

	if (!list)
		return 0;
	subjects->kind = list->kind;
	subjects->cgroups = cfg->each_cgroup;
	subjects->nr_cgroups = cfg->nr_each_cgroup;
	return (list->list ? list->list(subjects, cfg) : 0) ?: 1;
}
