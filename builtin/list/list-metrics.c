// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "builtin/builtin.h"
#include "builtin/list/list-match.h"
#include "builtin/list/list-print.h"
#include "util/base/json-writer.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/metric/metric-file.h"
#include "util/metric/metric-table.h"

/* ---- the metrics to list ---- */

static bool is_wanted(const struct list_metrics_options *options, const char *name)
{
	for (int i = 0; i < options->nr_globs; i++)
		if (list_match__name(options->globs[i], name))
			return true;
	return !options->nr_globs;
}

/*
 * Returns whether a glob matches the name of the metric or of one of its groups. Returns true if
 * there are no globs. If memory runs out, returns false and sets @errors->failed.
 */
static bool is_listed(const struct list_metrics_options *options, const struct metric_def *def,
		      struct strbuf *errors)
{
	const char *group = def->groups;

	if (is_wanted(options, def->name))
		return true;
	for (size_t len; (group = metric_table__next_name(group, &len)); group += len)
		for (int i = 0; i < options->nr_globs; i++)
			if (list_match__part(options->globs[i], group, len, errors))
				return true;
	return false;
}

/* ---- text ---- */

/*
 * Adds an indented line, without the newline. @text comes from a file of metrics, so this function
 * replaces characters that could move the cursor of a terminal.
 */
static void add_line(struct strbuf *sb, const char *lead, const char *text)
{
	strbuf__addf(sb, "%*s%s", LIST_INDENT, "", lead);
	strbuf__add_clean(sb, text);
}

static void add_text(const struct list_metrics_options *options, const struct metric_def *def,
		     struct strbuf *sb)
{
	const struct list_style *style = options->style;

	strbuf__adds(sb, style->names_only || style->raw_dump ? "" : "  ");
	strbuf__add_clean(sb, def->name);
	strbuf__addc(sb, style->raw_dump ? ' ' : '\n');
	if (style->names_only || style->raw_dump)
		return;
	if (def->desc)
		list_print__add_description(sb, def->desc);
	if (def->long_desc && style->details)
		list_print__add_description(sb, def->long_desc);
	if (!style->encodings)
		return;
	add_line(sb, "", def->expr);
	if (def->scale) {
		strbuf__adds(sb, "   in ");
		strbuf__add_clean(sb, def->scale);
	}
	strbuf__addc(sb, '\n');
	if (def->threshold) {
		add_line(sb, "threshold: ", def->threshold);
		strbuf__addc(sb, '\n');
	}
	if (def->groups) {
		add_line(sb, "groups: ", def->groups);
		strbuf__addc(sb, '\n');
	}
}

/* ---- JSON, with the keys of perf list ---- */

static void add_json(const struct metric_def *def, bool first, struct strbuf *sb)
{
	const struct {
		const char *key, *value;
	} fields[] = {
		{ "MetricGroup", def->groups },
		{ "MetricName", def->name },
		{ "MetricExpr", def->expr },
		{ "MetricThreshold", def->threshold },
		{ "ScaleUnit", def->scale },
		{ "BriefDescription", def->desc },
		{ "PublicDescription", def->long_desc },
		{ "Unit", def->pmu },
	};
	struct json_writer w;

	strbuf__adds(sb, first ? "\n" : ",\n");
	json__begin(&w, sb);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].value)
			json__string(&w, fields[i].key, fields[i].value);
	json__end(&w);
}

static int add_metrics(const struct list_metrics_options *options, const struct metric_table *table,
		       bool begun, struct strbuf *text)
{
	int nr = 0;

	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (!is_listed(options, def, text))
			continue;
		if (options->style->json)
			add_json(def, !begun && nr == 0, text);
		else
			add_text(options, def, text);
		nr++;
	}
	return nr;
}

/* ---- groups ---- */

/*
 * Returns the groups of a metric. With -M, the group "No_group" means all metrics that are in no
 * group.
 */
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

/*
 * Lists the groups of all metrics, sorted by name. A group with N metrics is in the list N times.
 */
static int groups__find(struct groups *groups, const struct metric_table *table)
{
	int err = 0;

	for (int i = 0; i < metric_table__nr(table); i++) {
		const char *name = groups_of(metric_table__get(table, i));

		for (size_t len; !err && (name = metric_table__next_name(name, &len)); name += len)
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
	void *rows =
		realloc(described->rows, sizeof(*described->rows) * ((size_t)described->nr + 1));

	if (!rows)
		return -ENOMEM;
	described->rows = rows;
	described->rows[described->nr].group = strdup(group);
	described->rows[described->nr].text = strdup(text);
	described->nr++;
	return described->rows[described->nr - 1].group && described->rows[described->nr - 1].text ?
		       0 :
		       -ENOMEM;
}

static void add_group_json(const struct metric_table *table, const char *name, bool first,
			   struct strbuf *sb)
{
	struct json_writer w, inner;

	strbuf__adds(sb, first ? "\n" : ",\n");
	json__begin(&w, sb);
	json__string(&w, "MetricGroup", name);
	json__open_array(&w, "Metrics");
	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (!metric_table__list_has(groups_of(def), name))
			continue;
		json__element_object(&w, &inner);
		json__string(&inner, "MetricName", def->name);
		json__end(&inner);
	}
	json__close_array(&w);
	json__end(&w);
}

static void add_group_text(const struct list_metrics_options *options,
			   const struct metric_table *table, const struct described *described,
			   const char *name, struct strbuf *sb)
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
			list_print__add_description(sb, described->rows[i].text);
	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (metric_table__list_has(groups_of(def), name))
			strbuf__addf(&members, "%s%s", members.len ? ", " : "", def->name);
	}
	list_print__add_description(sb, members.text);
	sb->failed |= strbuf__failed(&members);
	strbuf__free(&members);
}

/*
 * Adds the groups that the options select, sorted by name. Returns the number of groups. @begun is
 * true if the JSON array already has elements.
 */
static int add_groups(const struct list_metrics_options *options, const struct metric_table *table,
		      bool begun, struct strbuf *text)
{
	struct described described = { 0 };
	struct groups groups = { 0 };
	const char *last = "";
	int nr = 0;

	text->failed |= groups__find(&groups, table) != 0;
	if (options->vendor)
		text->failed |= vendor__for_each_group(options->vendor, described__add,
						       &described) == -ENOMEM;
	for (int i = 0; i < groups.nr; i++) {
		const char *name = groups.names[i];

		if (!strcasecmp(name, last) || !is_wanted(options, name))
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

/* ---- the whole list ---- */

static int write_all(const struct list_metrics_options *options, const struct metric_table *table,
		     struct list_out *out)
{
	const struct list_style *style = options->style;
	struct strbuf text = STRBUF_INIT;
	int nr, code = 0;

	if (!style->json && !style->names_only && !style->raw_dump)
		strbuf__adds(&text, options->by_group ? "\nMetric groups:\n\n" : "\nMetrics:\n\n");
	nr = (options->by_group ? add_groups : add_metrics)(options, table, out->begun, &text);
	out->begun |= nr > 0;
	if (!nr && options->nr_globs && !options->quiet && !style->raw_dump)
		pr_warn("no metric%s matches %s", options->by_group ? " group" : "",
			options->globs[0]);
	if (strbuf__failed(&text)) {
		code = command__out_of_memory();
	} else if (nr && fputs(text.text, out->file) == EOF) {
		pr_err("cannot write the list: %s", strerror(errno));
		code = EXIT_FAILED;
	}
	strbuf__free(&text);
	return code;
}

int list_metrics(const struct list_metrics_options *options, struct list_out *out)
{
	struct metric_table *table = metric_table__new();
	struct strbuf why = STRBUF_INIT;
	int err = table ? 0 : -ENOMEM, code;

	if (!err && options->vendor)
		err = metric_file__load_vendor(options->vendor, options->roots, table);
	if (!err && options->file)
		err = metric_file__load(options->file, table, &why);
	if (err)
		pr_err("%s%s", why.len ? "--metrics-file " : "out of memory", why.text);
	code = err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : write_all(options, table, out);
	strbuf__free(&why);
	metric_table__free(table);
	return code;
}
