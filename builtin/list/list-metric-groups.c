// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list-metric-groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "builtin/list/list-fold.h"
#include "builtin/list/list-metrics.h"
#include "builtin/list/list-print.h"
#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/report/metric-table.h"

/* As -M finds them: case aside, and those without any under one name. */
static const char *groups_of(const struct metric_def *def)
{
	return def->groups ?: "No_group";
}

struct groups {
	char **names;
	int nr;
};

static void groups__free(struct groups *groups)
{
	for (int i = 0; i < groups->nr; i++)
		free(groups->names[i]);
	free(groups->names);
}

static int groups__add(struct groups *groups, const char *name, size_t len)
{
	char **names = realloc(groups->names, sizeof(*names) * ((size_t)groups->nr + 1));

	if (!names)
		return -ENOMEM;
	groups->names = names;
	names[groups->nr] = strndup(name, len);
	return names[groups->nr] ? groups->nr++, 0 : -ENOMEM;
}

static int compare_names(const void *a, const void *b)
{
	return strcasecmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted; a group stands there once for each of its metrics. */
static int groups__find(struct groups *groups, const struct metric_table *table)
{
	int err = 0;

	for (int i = 0; i < metric_table__nr(table); i++) {
		const char *name = groups_of(metric_table__get(table, i));

		for (size_t len; !err && (name = metric_names__next(name, &len)); name += len)
			err = groups__add(groups, name, len);
	}
	if (groups->nr)
		qsort(groups->names, (size_t)groups->nr, sizeof(*groups->names), compare_names);
	return err;
}

/* The vendor's descriptions of groups. */
struct described {
	struct {
		char *group, *text;
	} * rows;
	int nr;
};

static void described__free(struct described *described)
{
	for (int i = 0; i < described->nr; i++) {
		free(described->rows[i].group);
		free(described->rows[i].text);
	}
	free(described->rows);
}

static int described__add(const char *group, const char *text, void *arg)
{
	struct described *described = arg;
	void *rows = realloc(described->rows, sizeof(*described->rows) * ((size_t)described->nr + 1));

	if (!rows)
		return -ENOMEM;
	described->rows = rows;
	described->rows[described->nr].group = strdup(group);
	described->rows[described->nr].text = strdup(text);
	described->nr++;
	return described->rows[described->nr - 1].group && described->rows[described->nr - 1].text ? 0 : -ENOMEM;
}

static void add_group_json(const struct metric_table *table, const char *name, bool first, struct strbuf *sb)
{
	struct json_writer w, inner;

	strbuf__adds(sb, first ? "\n" : ",\n");
	json__begin(&w, sb);
	json__string(&w, "MetricGroup", name);
	json__open_array(&w, "Metrics");
	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (!metric_names__has(groups_of(def), name))
			continue;
		json__element_object(&w, &inner);
		json__string(&inner, "MetricName", def->name);
		json__end(&inner);
	}
	json__close_array(&w);
	json__end(&w);
}

static void add_group_text(const struct list_metrics_options *options, const struct metric_table *table,
			   const struct described *described, const char *name, struct strbuf *sb)
{
	const struct list_style *style = options->style;
	struct strbuf members = STRBUF_INIT;

	strbuf__adds(sb, style->names_only || style->raw_dump ? "" : "  ");
	strbuf__add_clean(sb, name);
	strbuf__addc(sb, style->raw_dump ? ' ' : '\n');
	if (style->names_only || style->raw_dump)
		return;
	for (int i = 0; i < described->nr; i++)
		if (!strcasecmp(described->rows[i].group, name))
			list_fold__add(sb, described->rows[i].text);
	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (metric_names__has(groups_of(def), name))
			strbuf__addf(&members, "%s%s", members.len ? ", " : "", def->name);
	}
	list_fold__add(sb, members.text);
	sb->failed |= strbuf__failed(&members);
	strbuf__free(&members);
}

int list_metric_groups__add(const struct list_metrics_options *options, const struct metric_table *table, bool begun,
			    struct strbuf *text)
{
	struct described described = { 0 };
	struct groups groups = { 0 };
	const char *last = "";
	int nr = 0;

	text->failed |= groups__find(&groups, table) != 0;
	if (options->vendor)
		text->failed |= vendor__for_each_group(options->vendor, described__add, &described) == -ENOMEM;
	for (int i = 0; i < groups.nr; i++) {
		const char *name = groups.names[i];

		if (!strcasecmp(name, last) || !list_metrics__wants(options, name))
			continue;
		last = name;
		if (options->style->json)
			add_group_json(table, name, !begun && nr == 0, text);
		else
			add_group_text(options, table, &described, name, text);
		nr++;
	}
	groups__free(&groups);
	described__free(&described);
	return nr;
}
