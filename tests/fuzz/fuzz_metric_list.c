// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any string as the list of -M, with pstat's own metrics and those of tests/data/metrics. The
 * metrics must be found, or refused with a reason.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/metric/metric-file.h"
#include "util/machine/machine-view.h"
#include "util/metric/metric-set.h"
#include "util/metric/metric-table.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct sysroots roots = { "/nonexistent", "/nonexistent", "/nonexistent" };
static struct metric_table *table;

static void free_table(void)
{
	metric_table__free(table);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct strbuf why = STRBUF_INIT;

	(void)argc;
	(void)argv;
	table = metric_table__new();
	if (!table || metric_file__load("tests/data/metrics/live.json", table, &why))
		abort();
	atexit(free_table);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_env events = { .roots = &roots };
	struct machine_view machine = { .roots = &roots };
	struct metric_set_config config = {
		.table = table,
		.machine = &machine,
		.events = &events,
		.no_group = size & 1,
		.no_merge = size & 2,
		.no_threshold = size & 4,
	};
	struct evlist *evlist = evlist__new();
	struct strbuf why = STRBUF_INIT;
	struct metric_set *set = NULL;
	char *text = strndup((const char *)data, size);
	int err;

	if (!text || !evlist)
		abort();
	err = metric_set__new(&config, text, evlist, &set, &why);
	if (err && ((err != -EINVAL && err != -ENOENT) || set || evlist->nr || !why.len ||
		    why.text[why.len - 1] == '\n'))
		abort();
	if (!err && (!set || !evlist->nr))
		abort();
	for (int i = 0; i < evlist->nr; i++)
		if (!evlist->entries[i]->name || evlist->entries[i]->leader->idx > i)
			abort();
	metric_set__free(set);
	evlist__free(evlist);
	strbuf__free(&why);
	free(text);
	return 0;
}
