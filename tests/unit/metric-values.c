// SPDX-License-Identifier: GPL-2.0-only
/*
 * metric-values FILE: computes the metrics of a file with values for events and literals from
 * standard input, one per line: "NAME VALUE", "NAME VALUE SOURCES", or "NAME none". Prints a line
 * "NAME VALUE THRESHOLD" for each metric of the file; VALUE and THRESHOLD are a number or none. For
 * tests. The result does not depend on the machine.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/metric/metric-expr.h"
#include "util/metric/metric-file.h"
#include "util/metric/metric-table.h"

#define GIVEN_MAX 256

static struct {
	char name[128];
	struct metric_value value;
} given[GIVEN_MAX];
static int nr_given;

static void read_given(void)
{
	char value[64];
	int n;

	while (nr_given < GIVEN_MAX) {
		char line[256];
		double sources = 1.0;

		if (!fgets(line, sizeof(line), stdin))
			return;
		n = sscanf(line, "%127s %63s %lf", given[nr_given].name, value, &sources);
		if (n < 2)
			exit(2);
		given[nr_given].value.value = strcmp(value, "none") ? strtod(value, NULL) : NAN;
		given[nr_given++].value.sources = sources;
	}
}

static int find_given(const char *name)
{
	for (int i = 0; i < nr_given; i++)
		if (!strcmp(given[i].name, name) ||
		    (*name == '#' && !strcasecmp(given[i].name, name)))
			return i;
	return -1;
}

static const struct metric_def *find(void *ctx, const char *name)
{
	return metric_table__find(ctx, name, NULL);
}

static int literal(void *ctx, const char *name, double *value)
{
	int at = find_given(name);

	(void)ctx;
	if (at >= 0)
		*value = given[at].value.value;
	return at < 0 ? -ENOENT : 0;
}

static bool has_event(void *ctx, const char *event)
{
	(void)ctx;
	return find_given(event) >= 0;
}

static void print(const struct metric_table *table, const struct metric_def *def, const char *text,
		  bool threshold)
{
	struct metric_env env = {
		.find = find,
		.literal = literal,
		.has_event = has_event,
		.ctx = (void *)table,
	};
	struct metric_error error = METRIC_ERROR_INIT;
	struct metric_value values[GIVEN_MAX];
	struct metric_expr *expr;
	double value = NAN;

	if (text && metric_expr__compile(def->name, text, threshold, &env, &expr, &error)) {
		fprintf(stderr, "%s: %s\n", def->name, error.reason.text);
		exit(1);
	}
	for (int i = 0; text && i < metric_expr__nr_events(expr); i++) {
		int at = find_given(metric_expr__event(expr, i));

		if (at < 0 || i == GIVEN_MAX) {
			fprintf(stderr, "%s: no value for %s\n", def->name,
				metric_expr__event(expr, i));
			exit(1);
		}
		values[i] = given[at].value;
	}
	if (text) {
		value = metric_expr__eval(expr, values);
		metric_expr__free(expr);
	}
	if (isnan(value))
		printf(" none");
	else
		printf(" %.17g", value);
}

int main(int argc, char **argv)
{
	struct metric_table *table = metric_table__new();
	struct strbuf why = STRBUF_INIT;

	if (argc != 2 || !table)
		return 2;
	read_given();
	if (metric_file__load(argv[1], table, &why)) {
		fprintf(stderr, "%s\n", why.text);
		return 1;
	}
	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (!def->line)
			continue;
		printf("%s", def->name);
		print(table, def, def->expr, false);
		print(table, def, def->threshold, true);
		printf("\n");
	}
	metric_table__free(table);
	strbuf__free(&why);
	return 0;
}
