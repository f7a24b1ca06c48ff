// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-file.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/machine/cpu/cpuid.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-table.h"

/* ---- one object ---- */

static const struct {
	const char *key;
	size_t field;
} keys[] = {
	{ "MetricName", offsetof(struct metric_def, name) },
	{ "MetricGroup", offsetof(struct metric_def, groups) },
	{ "MetricExpr", offsetof(struct metric_def, expr) },
	{ "ScaleUnit", offsetof(struct metric_def, scale) },
	{ "MetricThreshold", offsetof(struct metric_def, threshold) },
	{ "BriefDescription", offsetof(struct metric_def, desc) },
	{ "PublicDescription", offsetof(struct metric_def, long_desc) },
	{ "MetricgroupNoGroup", offsetof(struct metric_def, no_group_for) },
	{ "DefaultMetricgroupName", offsetof(struct metric_def, heading) },
	{ "DefaultShowEvents", offsetof(struct metric_def, shows_events) },
	{ "Unit", offsetof(struct metric_def, pmu) },
};

static const struct {
	const char *word;
	enum metric_grouping grouping;
} constraints[] = {
	{ "NO_GROUP_EVENTS", METRIC_NO_GROUP },
	{ "NO_GROUP_EVENTS_NMI", METRIC_NO_GROUP_WATCHDOG },
	{ "NO_NMI_WATCHDOG", METRIC_NO_GROUP_WATCHDOG },
	{ "NO_GROUP_EVENTS_SMT", METRIC_NO_GROUP_SMT },
	{ "NO_THRESHOLD_AND_NMI", METRIC_NO_GROUP_THRESHOLD },
};

static const json_t *value_of(const json_t *object, const json_t *standard, const char *key)
{
	return json_object_get(object, key) ?: json_object_get(standard, key);
}

static int refuse_object(struct strbuf *why, const char *what, const char *word)
{
	strbuf__addf(why, "%s%s", what, word);
	return -EINVAL;
}

static int read_constraint(const json_t *json, struct metric_def *def, struct strbuf *why)
{
	if (!json)
		return 0;
	for (size_t i = 0; json_is_string(json) && i < sizeof(constraints) / sizeof(constraints[0]);
	     i++) {
		if (!strcmp(json_string_value(json), constraints[i].word)) {
			def->grouping = constraints[i].grouping;
			return 0;
		}
	}
	return refuse_object(why, "unknown MetricConstraint ",
			     json_is_string(json) ? json_string_value(json) : "(no string)");
}

int metric_file__read(const json_t *object, const json_t *standard, struct metric_def *def,
		      struct strbuf *why)
{
	*def = (struct metric_def){ 0 };
	if (!json_is_object(object))
		return refuse_object(why, "this is not an object", "");
	def->name = json_string_value(value_of(object, standard, "MetricName"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *json = value_of(object, standard, keys[i].key);

		if (json && !json_is_string(json))
			return refuse_object(why, "not a string: ", keys[i].key);
		if (json && *json_string_value(json))
			*(const char **)((char *)def + keys[i].field) = json_string_value(json);
	}
	if (!def->name || !*def->name)
		return -ENOENT;
	if (!def->expr)
		return refuse_object(why, "it has no MetricExpr", "");
	return read_constraint(value_of(object, standard, "MetricConstraint"), def, why);
}

/* ---- a file ---- */

/* A file that is being read. `text` is kept to find line numbers. */
struct metric_file {
	const char *path;
	struct strbuf text;
	struct metric_table *table;
	struct strbuf *why;
};

static int read_text(struct metric_file *file)
{
	FILE *stream = fopen(file->path, "re");
	char buffer[65536];
	int err = 0;
	size_t n;

	if (!stream) {
		err = -errno;
		strbuf__addf(file->why, "%s: cannot be read: %s", log__value(file->path),
			     strerror(-err));
		return err;
	}
	while ((n = fread(buffer, 1, sizeof(buffer), stream)) > 0)
		strbuf__add(&file->text, buffer, n);
	if (ferror(stream)) {
		err = errno ? -errno : -EIO;
		strbuf__addf(file->why, "%s: cannot be read: %s", log__value(file->path),
			     strerror(-err));
	}
	fclose(stream);
	return err ?: strbuf__failed(&file->text) ? -ENOMEM : 0;
}

/*
 * Returns the line of the first MetricName with the value @name. Returns 0 if the file contains the
 * name only in another spelling, for example with escapes.
 */
static int line_of(const struct metric_file *file, const char *name)
{
	const char *at = file->text.text;
	size_t len = strlen(name);

	while ((at = strstr(at, "\"MetricName\""))) {
		int line = 1;

		at += strlen("\"MetricName\"");
		at += strspn(at, " \t\r\n:");
		if (*at != '"' || strncmp(at + 1, name, len) || at[1 + len] != '"')
			continue;
		for (const char *c = file->text.text; c < at; c++)
			line += *c == '\n';
		return line;
	}
	return 0;
}

static void refuse(struct metric_file *file, const struct metric_def *def, int index,
		   const char *reason)
{
	strbuf__adds(file->why, file->path);
	if (def->line)
		strbuf__addf(file->why, ":%d", def->line);
	if (def->name)
		strbuf__addf(file->why, ": metric %s", def->name);
	else
		strbuf__addf(file->why, ": object %d", index + 1);
	strbuf__addf(file->why, ": %s", reason);
}

static int read_metric(struct metric_file *file, const json_t *object, int index)
{
	struct strbuf reason = STRBUF_INIT;
	struct metric_def def;
	int err = metric_file__read(object, NULL, &def, &reason);

	if (def.name)
		def.line = line_of(file, def.name);
	def.of_file = true;
	if (err == -EINVAL)
		refuse(file, &def, index, reason.text);
	else if (!err)
		err = metric_table__add(file->table, &def);
	strbuf__free(&reason);
	return err == -ENOENT ? 0 : err;
}

static int read_metrics(struct metric_file *file)
{
	json_error_t error;
	json_t *root = json_loadb(file->text.text, file->text.len, JSON_REJECT_DUPLICATES, &error),
	       *array = root;
	int err = 0;

	if (!root && error.line < 0) {
		strbuf__addf(file->why, "%s: %s", file->path, error.text);
		return -EINVAL;
	}
	if (!root) {
		strbuf__addf(file->why, "%s:%d: not JSON: %s (column %d)", file->path, error.line,
			     error.text, error.column);
		return -EINVAL;
	}
	/* in some vendors' files, the array is a member of an object */
	if (json_is_object(root))
		array = json_object_get(root, "Metrics") ?: json_object_get(root, "Events");
	if (!json_is_array(array)) {
		strbuf__addf(file->why,
			     "%s: not an array of objects with MetricName and MetricExpr",
			     file->path);
		err = -EINVAL;
	}
	for (size_t i = 0; !err && i < json_array_size(array); i++)
		err = read_metric(file, json_array_get(array, i), (int)i);
	json_decref(root);
	return err;
}

/* ---- checking the expressions ---- */

static const struct metric_def *find(void *ctx, const char *name)
{
	return metric_table__find(ctx, name, NULL);
}

/* Accepts every literal, but sets no value, because the metric may be for another machine. */
static int any_literal(void *ctx, const char *name, double *value)
{
	(void)ctx;
	(void)name;
	(void)value;
	return -ENODATA;
}

static int check(struct metric_file *file, const struct metric_def *def, const char *text,
		 bool threshold)
{
	struct metric_env env = { .find = find, .literal = any_literal, .ctx = file->table };
	struct metric_error error = METRIC_ERROR_INIT;
	struct metric_expr *expr;
	int err = text ? metric_expr__compile(def->name, text, threshold, &env, &expr, &error) : 0;

	if (err == -EINVAL) {
		const struct metric_def *where =
			metric_table__find(file->table, error.metric.text, def->pmu);

		strbuf__adds(file->why, file->path);
		if (where && where->line)
			strbuf__addf(file->why, ":%d", where->line);
		strbuf__addf(file->why, ": %s", threshold ? "MetricThreshold of " : "");
		metric_error__format(&error, file->why);
	}
	if (!err && text)
		metric_expr__free(expr);
	metric_error__free(&error);
	return err;
}

static int check_all(struct metric_file *file)
{
	int err = 0;

	for (int i = 0; !err && i < metric_table__nr(file->table); i++) {
		const struct metric_def *def = metric_table__get(file->table, i);

		/* metrics that are not from a user's file are compiled only when they are used */
		if (!def->of_file)
			continue;
		err = check(file, def, def->expr, false);
		err = err ?: check(file, def, def->threshold, true);
	}
	return err;
}

int metric_file__load(const char *path, struct metric_table *table, struct strbuf *why)
{
	struct metric_file file = { .path = path, .text = STRBUF_INIT, .table = table, .why = why };
	int err = read_text(&file);

	err = err ?: read_metrics(&file);
	err = err ?: check_all(&file);
	strbuf__free(&file.text);
	return err;
}

/* ---- the vendor's metrics ---- */

struct loading {
	struct metric_table *table;
	const struct sysroots *roots;
	struct pmus *pmus; /* NULL until a metric needs a PMU's identifier */
};

/*
 * Sets *@found to whether the machine has a PMU whose identifier matches @compat. Returns 0 or
 * -ENOMEM.
 */
static int has_compatible(struct loading *loading, const char *compat, bool *found)
{
	struct pmu *pmu;

	loading->pmus = loading->pmus ?: pmus__new(loading->roots);
	if (!loading->pmus)
		return -ENOMEM;
	*found = false;
	for (int i = 0; !*found && (pmu = pmus__get(loading->pmus, i)); i++) {
		const char *identifier = pmu__identifier(pmu);

		*found = identifier && cpuid__matches_whole(compat, identifier);
	}
	return 0;
}

static int add_metric(const struct vendor_object *object, void *arg)
{
	struct loading *loading = arg;
	const char *compat = json_string_value(json_object_get(object->object, "Compat"));
	struct strbuf why = STRBUF_INIT;
	struct metric_def def;
	bool wanted = true;
	int err = metric_file__read(object->object, object->standard, &def, &why);

	strbuf__free(&why);
	if (err)
		return 0;
	if (compat)
		err = has_compatible(loading, compat, &wanted);
	return err ?: wanted ? metric_table__add(loading->table, &def) : 0;
}

int metric_file__load_vendor(struct vendor *vendor, const struct sysroots *roots,
			     struct metric_table *table)
{
	struct loading loading = { .table = table, .roots = roots };
	int err = vendor__for_each_metric(vendor, add_metric, &loading);

	pmus__free(loading.pmus);
	return err;
}
