// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/subjects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/count/stat-config.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/task/threadmap.h"

/*
 * The size of a buffer for the name of a task. Only the names of kernel threads can be longer than
 * 15 characters.
 */
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
	return subjects && subjects->kind == &subject_thread;
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

/* ---- the options that ask for subjects, and the subjects known before counting ---- */

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

const struct subject_kind subject_thread = { wants_threads, list_threads, NULL, NULL, 0 };
const struct subject_kind subject_prog = { wants_progs, NULL, "prog", "prog-id", 0 };
const struct subject_kind subject_scope = { wants_scopes, NULL, "scope", NULL, 40 };
const struct subject_kind subject_cgroup = { wants_cgroups, list_cgroups, NULL, NULL, 0 };

/*
 * All kinds, in the order of SUBJECT_KINDS. --for-each-cgroup together with --per-prog or
 * --per-scope asks for two kinds. In this case, subjects__kind() returns subject_prog or
 * subject_scope, which precede subject_cgroup. Each subject is then a program or scope in a cgroup.
 */
#define SUBJECT_KIND_ADDRESS(name) &subject_##name,
static const struct subject_kind *const kinds[] = { SUBJECT_KINDS(SUBJECT_KIND_ADDRESS) };

const struct subject_kind *subjects__kind(const struct stat_config *cfg)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i]->is_wanted(cfg))
			return kinds[i];
	return NULL;
}

int subjects__list(struct subjects *subjects, const struct stat_config *cfg)
{
	const struct subject_kind *kind = subjects__kind(cfg);

	if (!kind)
		return 0;
	subjects->kind = kind;
	subjects->cgroups = cfg->each_cgroup;
	subjects->nr_cgroups = cfg->nr_each_cgroup;
	return (kind->list ? kind->list(subjects, cfg) : 0) ?: 1;
}
