// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-file.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-json.h"
#include "util/metric/metric-table.h"

/* A file being read. The text is kept to find line numbers. */
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
		strbuf__addf(file->why, "%s: cannot be read: %s", log__value(file->path), strerror(-err));
		return err;
	}
	while ((n = fread(buffer, 1, sizeof(buffer), stream)) > 0)
		strbuf__add(&file->text, buffer, n);
	if (ferror(stream)) {
		err = errno ? -errno : -EIO;
		strbuf__addf(file->why, "%s: cannot be read: %s", log__value(file->path), strerror(-err));
	}
	fclose(stream);
	return err ?: strbuf__failed(&file->text) ? -ENOMEM : 0;
}

/*
 * Returns the line of the first MetricName with the value @name, or 0 if it is written in another
 * way.
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

static void refuse(struct metric_file *file, const struct metric_def *def, int index, const char *reason)
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
	int err = metric_json__read(object, NULL, &def, &reason);

	if (def.name)
		def.line = line_of(file, def.name);
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
	json_t *root = json_loadb(file->text.text, file->text.len, JSON_REJECT_DUPLICATES, &error), *array = root;
	int err = 0;

	if (!root && error.line < 0) {
		strbuf__addf(file->why, "%s: %s", file->path, error.text);
		return -EINVAL;
	}
	if (!root) {
		strbuf__addf(file->why, "%s:%d: not JSON: %s (column %d)", file->path, error.line, error.text,
			     error.column);
		return -EINVAL;
	}
	/* some vendors' arrays are members of an object */
	if (json_is_object(root))
		array = json_object_get(root, "Metrics") ?: json_object_get(root, "Events");
	if (!json_is_array(array)) {
		strbuf__addf(file->why, "%s: not an array of objects with MetricName and MetricExpr", file->path);
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

/* Accepts every literal, because the metric may be used on another machine. */
static int any_literal(void *ctx, const char *name, double *value)
{
	(void)ctx;
	(void)name;
	(void)value;
	return -ENODATA;
}

static int check(struct metric_file *file, const struct metric_def *def, const char *text, bool threshold)
{
	struct metric_env env = { .find = find, .literal = any_literal, .ctx = file->table };
	struct metric_error error = METRIC_ERROR_INIT;
	struct metric_expr *expr;
	int err = text ? metric_expr__compile(def->name, text, threshold, &env, &expr, &error) : 0;

	if (err == -EINVAL) {
		const struct metric_def *where = metric_table__find(file->table, error.metric.text, def->pmu);

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
