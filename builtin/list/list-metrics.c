// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list-metrics.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/list/list-fold.h"
#include "builtin/list/list-metric-groups.h"
#include "builtin/list/list-print.h"
#include "util/base/json-writer.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/report/metric-file.h"
#include "util/report/metric-table.h"
#include "util/report/metric-vendor.h"

/* ---- which ---- */

static bool matches(const char *glob, const char *name)
{
	return !fnmatch(glob, name, FNM_CASEFOLD) || strcasestr(name, glob);
}

bool list_metrics__wants(const struct list_metrics_options *options, const char *name)
{
	for (int i = 0; i < options->nr_globs; i++)
		if (matches(options->globs[i], name))
			return true;
	return !options->nr_globs;
}

static bool is_listed(const struct list_metrics_options *options, const struct metric_def *def)
{
	return list_metrics__wants(options, def->name) || (def->groups && list_metrics__wants(options, def->groups));
}

/* ---- text ---- */

/* Whoever wrote the metrics' file wrote what is shown: nothing of it is to move the cursor. */
static void add_line(struct strbuf *sb, const char *lead, const char *text)
{
	strbuf__addf(sb, "%*s%s", LIST_INDENT, "", lead);
	strbuf__add_clean(sb, text);
}

static void add_text(const struct list_metrics_options *options, const struct metric_def *def, struct strbuf *sb)
{
	const struct list_style *style = options->style;

	strbuf__adds(sb, style->names_only || style->raw_dump ? "" : "  ");
	strbuf__add_clean(sb, def->name);
	strbuf__addc(sb, style->raw_dump ? ' ' : '\n');
	if (style->names_only || style->raw_dump)
		return;
	if (def->desc)
		list_fold__add(sb, def->desc);
	if (def->long_desc && style->details)
		list_fold__add(sb, def->long_desc);
	if (!style->encodings)
		return;
	add_line(sb, "", def->expr);
	if (def->scale) {
		strbuf__adds(sb, "   in ");
		strbuf__add_clean(sb, def->scale);
	}
	strbuf__addc(sb, '\n');
	if (def->threshold) {
		add_line(sb, "worth a look: ", def->threshold);
		strbuf__addc(sb, '\n');
	}
	if (def->groups) {
		add_line(sb, "groups: ", def->groups);
		strbuf__addc(sb, '\n');
	}
}

/* ---- JSON: perf list's keys ---- */

static void add_json(const struct metric_def *def, bool first, struct strbuf *sb)
{
	const struct {
		const char *key, *value;
	} fields[] = {
		{ "MetricGroup", def->groups },		 { "MetricName", def->name }, { "MetricExpr", def->expr },
		{ "MetricThreshold", def->threshold },	 { "ScaleUnit", def->scale }, { "BriefDescription", def->desc },
		{ "PublicDescription", def->long_desc }, { "Unit", def->pmu },
	};
	struct json_writer w;

	strbuf__adds(sb, first ? "\n" : ",\n");
	json__begin(&w, sb);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].value)
			json__string(&w, fields[i].key, fields[i].value);
	json__end(&w);
}

static int add_metrics(const struct list_metrics_options *options, const struct metric_table *table, bool begun,
		       struct strbuf *text)
{
	int nr = 0;

	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (!is_listed(options, def))
			continue;
		if (options->style->json)
			add_json(def, !begun && nr == 0, text);
		else
			add_text(options, def, text);
		nr++;
	}
	return nr;
}

/* ---- all of it ---- */

static int write_all(const struct list_metrics_options *options, const struct metric_table *table, struct list_out *out)
{
	const struct list_style *style = options->style;
	struct strbuf text = STRBUF_INIT;
	int nr, code = 0;

	if (!style->json && !style->names_only && !style->raw_dump)
		strbuf__adds(&text, options->by_group ? "\nMetric groups:\n\n" : "\nMetrics:\n\n");
	nr = (options->by_group ? list_metric_groups__add : add_metrics)(options, table, out->begun, &text);
	out->begun |= nr > 0;
	if (!nr && options->nr_globs && !options->quiet && !style->raw_dump)
		pr_warn("no metric%s matches %s", options->by_group ? " group" : "", options->globs[0]);
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
		err = metric_vendor__load(options->vendor, options->roots, table);
	if (!err && options->file)
		err = metric_file__load(options->file, table, &why);
	if (err)
		pr_err("%s%s", why.len ? "--metrics-file " : "out of memory", why.text);
	code = err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : write_all(options, table, out);
	strbuf__free(&why);
	metric_table__free(table);
	return code;
}
