// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-table.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Owns the strings of the definitions. */
struct metric_table {
	int nr, room;
	struct metric_def *defs; /* sorted by compare() */
};

static const size_t strings[] = {
	offsetof(struct metric_def, name),	   offsetof(struct metric_def, groups),
	offsetof(struct metric_def, expr),	   offsetof(struct metric_def, scale),
	offsetof(struct metric_def, threshold),	   offsetof(struct metric_def, desc),
	offsetof(struct metric_def, long_desc),	   offsetof(struct metric_def, no_group_for),
	offsetof(struct metric_def, pmu),	   offsetof(struct metric_def, heading),
	offsetof(struct metric_def, shows_events),
};

#define NR_STRINGS (sizeof(strings) / sizeof(strings[0]))

static const char **string_of(struct metric_def *def, size_t i)
{
	return (const char **)((char *)def + strings[i]);
}

static void def__clear(struct metric_def *def)
{
	for (size_t i = 0; i < NR_STRINGS; i++)
		free((char *)*string_of(def, i));
}

static int def__copy(struct metric_def *to, const struct metric_def *from)
{
	bool failed = false;

	*to = *from;
	for (size_t i = 0; i < NR_STRINGS; i++) {
		const char **string = string_of(to, i);

		if (!*string)
			continue;
		*string = strdup(*string);
		failed |= !*string;
	}
	if (failed)
		def__clear(to);
	return failed ? -ENOMEM : 0;
}

static int compare(const struct metric_def *a, const char *name, const char *pmu)
{
	return strcasecmp(a->name, name) ?: strcmp(a->pmu ? a->pmu : "", pmu ? pmu : "");
}

/* Returns the index of the metric with this name and PMU, or the index at which to insert it. */
static int search(const struct metric_table *table, const char *name, const char *pmu)
{
	int low = 0, high = table->nr;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (compare(&table->defs[middle], name, pmu) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int metric_table__add(struct metric_table *table, const struct metric_def *def)
{
	int at = search(table, def->name, def->pmu);
	struct metric_def copy;

	if (table->nr == table->room) {
		int room = table->room ? table->room * 2 : 64;
		struct metric_def *defs = realloc(table->defs, sizeof(*defs) * (size_t)room);

		if (!defs)
			return -ENOMEM;
		table->defs = defs;
		table->room = room;
	}
	if (def__copy(&copy, def))
		return -ENOMEM;
	if (at < table->nr && !compare(&table->defs[at], def->name, def->pmu)) {
		def__clear(&table->defs[at]);
	} else {
		memmove(&table->defs[at + 1], &table->defs[at],
			sizeof(copy) * (size_t)(table->nr - at));
		table->nr++;
	}
	table->defs[at] = copy;
	return 0;
}

struct metric_table *metric_table__new(void)
{
	struct metric_table *table = calloc(1, sizeof(*table));
	int err = table ? 0 : -ENOMEM;

	for (int i = 0; !err && i < nr_metrics_builtin && metrics_builtin[i].name; i++) {
		const struct metric_builtin *row = &metrics_builtin[i];

		err = metric_table__add(table, &(struct metric_def){
						       .name = row->name,
						       .groups = row->groups,
						       .expr = row->expr,
						       .scale = row->scale,
						       .threshold = row->threshold,
						       .desc = row->desc,
						       .own = true,
					       });
	}
	if (!err)
		return table;
	metric_table__free(table);
	return NULL;
}

void metric_table__free(struct metric_table *table)
{
	if (!table)
		return;
	for (int i = 0; i < table->nr; i++)
		def__clear(&table->defs[i]);
	free(table->defs);
	free(table);
}

int metric_table__nr(const struct metric_table *table)
{
	return table->nr;
}

const struct metric_def *metric_table__get(const struct metric_table *table, int i)
{
	return &table->defs[i];
}

const struct metric_def *metric_table__find(const struct metric_table *table, const char *name,
					    const char *pmu)
{
	int first = search(table, name, NULL), at;

	if (first == table->nr || strcasecmp(table->defs[first].name, name))
		return NULL;
	at = search(table, name, pmu);
	if (at < table->nr && !compare(&table->defs[at], name, pmu))
		return &table->defs[at];
	return &table->defs[first];
}

const char *metric_table__next_name(const char *list, size_t *len)
{
	if (!list)
		return NULL;
	list += strspn(list, "; \t");
	if (!*list)
		return NULL;
	*len = strcspn(list, ";");
	while (list[*len - 1] == ' ' || list[*len - 1] == '\t')
		--*len;
	return list;
}

bool metric_table__list_has(const char *list, const char *name)
{
	size_t wanted = strlen(name), len;

	for (; (list = metric_table__next_name(list, &len)); list += len)
		if (len == wanted && !strncasecmp(list, name, len))
			return true;
	return false;
}
