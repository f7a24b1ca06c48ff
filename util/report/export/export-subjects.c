// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/export/export-subjects.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/subjects.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/report/export/cgroup-ids.h"
#include "util/report/export/export-report.h"
#include "util/report/export/metric-page.h"

static const struct {
	const struct subject_kind *kind;
	const char *prefix, *other;
} kinds[] = {
	{ &subject_cgroup, "pstat_cgroup_", "cgroup=\"(other)\"" },
	{ &subject_prog, "pstat_bpf_prog_", "name=\"(other)\"" },
	{ &subject_scope, "pstat_scope_", "scope=\"(other)\"" },
	{ &subject_thread, "pstat_thread_", "comm=\"(other)\"" },
};

const char *export_subjects__prefix(const struct subjects *subjects)
{
	for (size_t i = 0; subjects && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == subjects->kind)
			return kinds[i].prefix;
	return "pstat_";
}

const char *export_subjects__other(const struct subjects *subjects)
{
	for (size_t i = 0; subjects && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == subjects->kind)
			return kinds[i].other;
	return "";
}

/* ---- labels ---- */

static void add_cgroup(const struct subject *subject, struct strbuf *labels)
{
	const char *name = subject->cgroup ? subject->cgroup->path : subject->name;
	struct strbuf path = STRBUF_INIT;
	struct cgroup_ids ids;

	strbuf__addf(&path, "%s%s", *name == '/' ? "" : "/", name);
	cgroup_ids__find(name, &ids);
	metric_labels__add(labels, "cgroup", path.text);
	if (*ids.pod_uid)
		metric_labels__add(labels, "pod_uid", ids.pod_uid);
	if (*ids.container_id)
		metric_labels__add(labels, "container_id", ids.container_id);
	strbuf__free(&path);
}

static void add_prog(const struct subject *subject, const struct export_config *config,
		     struct strbuf *labels)
{
	struct export_prog prog = { 0 };
	char id[24];

	snprintf(id, sizeof(id), "%" PRIu64, subject->id);
	config->find_prog((uint32_t)subject->id, &prog);
	metric_labels__add(labels, "id", id);
	metric_labels__add(labels, "name", subject->name);
	if (*prog.type)
		metric_labels__add(labels, "type", prog.type);
	if (*prog.tag)
		metric_labels__add(labels, "tag", prog.tag);
}

static void add_thread(const struct subject *subject, struct strbuf *labels)
{
	char tid[16];

	snprintf(tid, sizeof(tid), "%d", subject->tid);
	metric_labels__add(labels, "tid", tid);
	metric_labels__add(labels, "comm", subject->name);
}

/* Returns the labels, which the caller must free, or NULL if memory ran out. */
static char *make_labels(const struct subject_kind *kind, const struct subject *subject,
			 const struct export_config *config)
{
	struct strbuf labels = STRBUF_INIT;

	if (kind == &subject_cgroup)
		add_cgroup(subject, &labels);
	else if (kind == &subject_prog)
		add_prog(subject, config, &labels);
	else if (kind == &subject_thread)
		add_thread(subject, &labels);
	else
		metric_labels__add(&labels, "scope", subject->name);
	if (kind != &subject_cgroup && subject->cgroup)
		add_cgroup(subject, &labels);
	if (!strbuf__failed(&labels))
		return strbuf__detach(&labels);
	strbuf__free(&labels);
	return NULL;
}

/* ---- the list ---- */

static int grow(struct export_subjects *es, int nr)
{
	struct export_subject *bigger;

	if (nr <= es->nr)
		return 0;
	bigger = reallocarray(es->list, (size_t)nr, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	es->list = bigger;
	memset(bigger + es->nr, 0, sizeof(*bigger) * (size_t)(nr - es->nr));
	es->nr = nr;
	return 0;
}

static size_t hash_of(const char *text)
{
	size_t hash = 5381;

	for (; *text; text++)
		hash = hash * 33 + (unsigned char)*text;
	return hash;
}

/*
 * Returns whether another live subject has the same labels, for example a scope with the same name.
 * If two samples of a metric have equal labels, Prometheus drops one of them.
 */
static bool is_taken(const struct export_subjects *es, const struct export_subject *one)
{
	for (int i = 0; i < es->nr; i++) {
		const struct export_subject *other = &es->list[i];

		if (other != one && other->is_live && other->hash == one->hash &&
		    !strcmp(other->labels, one->labels))
			return true;
	}
	return false;
}

/* Turns @to into the entry of @subject. Returns 0 or -ENOMEM. */
static int adopt(struct export_subject *to, const struct subjects *subjects,
		 const struct subject *subject, const struct export_config *config)
{
	to->continues = to->name && subjects->kind == &subject_prog;
	free(to->name);
	free(to->labels);
	to->is_new = true;
	to->id = subject->id;
	to->name = strdup(subject->name);
	to->labels = make_labels(subjects->kind, subject, config);
	to->hash = to->labels ? hash_of(to->labels) : 0;
	return to->name && to->labels ? 0 : -ENOMEM;
}

static bool is_live(const struct subjects *subjects, const struct subject *subject,
		    const struct export_config *config)
{
	return subject->state == SUBJECT_LIVE &&
	       (!config->exists || config->exists(config->exists_ctx, subjects, subject));
}

int export_subjects__update(struct export_subjects *es, const struct subjects *subjects,
			    const struct export_config *config)
{
	int err = grow(es, subjects->nr);

	/*
	 * First mark all subjects as not live, so that a new subject can get the labels of a
	 * removed subject.
	 */
	for (int i = 0; !err && i < subjects->nr; i++) {
		es->list[i].was_live = es->list[i].is_live;
		es->list[i].is_live = false;
		es->list[i].is_there = is_live(subjects, &subjects->list[i], config);
	}
	for (int i = 0; !err && i < subjects->nr; i++) {
		const struct subject *subject = &subjects->list[i];
		struct export_subject *to = &es->list[i];

		to->is_new = false;
		if (!to->is_there)
			continue;
		if (!to->name || to->id != subject->id || strcmp(to->name, subject->name) != 0)
			err = adopt(to, subjects, subject, config);
		to->is_live = !err && ((to->was_live && !to->is_new) || !is_taken(es, to));
	}
	return err;
}

void export_subjects__free(struct export_subjects *es)
{
	for (int i = 0; i < es->nr; i++) {
		free(es->list[i].name);
		free(es->list[i].labels);
	}
	free(es->list);
	*es = (struct export_subjects){ 0 };
}
