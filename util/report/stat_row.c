// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/stat_row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

void aggr_id__add_name(const struct aggr_id *id, struct strbuf *name)
{
	switch (id->mode) {
	case AGGR_NONE:
		if (id->percore)
			strbuf__addf(name, "S%d-D%d-C%d", id->socket, id->die, id->core);
		else if (id->cpu >= 0)
			strbuf__addf(name, "CPU%d", id->cpu);
		break;
	case AGGR_SOCKET:
		strbuf__addf(name, "S%d", id->socket);
		break;
	case AGGR_DIE:
		strbuf__addf(name, "S%d-D%d", id->socket, id->die);
		break;
	case AGGR_CLUSTER:
		strbuf__addf(name, "S%d-D%d-CLS%d", id->socket, id->die, id->cluster);
		break;
	case AGGR_CACHE:
		strbuf__addf(name, "S%d-D%d-L%d-ID%d", id->socket, id->die, id->cache_level,
			     id->cache);
		break;
	case AGGR_CORE:
		strbuf__addf(name, "S%d-D%d-C%d", id->socket, id->die, id->core);
		break;
	case AGGR_NODE:
		strbuf__addf(name, "N%d", id->node);
		break;
	case AGGR_THREAD:
		strbuf__addf(name, "%s-%d", id->comm, id->tid);
		break;
	case AGGR_GLOBAL:
	case AGGR_MODE_NR:
		break;
	}
}

static void stat_row__clear(struct stat_row *row)
{
	free(row->metrics);
	free(row->event);
}

static int stat_rows__grow(struct stat_rows *rows)
{
	int room = rows->room ? rows->room * 2 : 16;
	struct stat_row *bigger;

	if (rows->nr < rows->room)
		return 0;
	bigger = realloc(rows->rows, sizeof(*bigger) * (size_t)room);
	if (!bigger)
		return -ENOMEM;
	rows->rows = bigger;
	rows->room = room;
	return 0;
}

/* Appends a copy of @text, including its NUL, at *@end, and moves *@end past the copy. */
static char *append(char **end, const char *text)
{
	char *copy = *end;

	*end = stpcpy(copy, text) + 1;
	return copy;
}

struct stat_row *stat_rows__add(struct stat_rows *rows, const struct aggr_id *id, const char *event,
				const char *unit, const char *cgroup)
{
	size_t size = strlen(event) + strlen(unit) + (cgroup ? strlen(cgroup) : 0) + 3;
	struct stat_row *row;
	char *names;

	if (stat_rows__grow(rows))
		return NULL;
	names = malloc(size);
	if (!names)
		return NULL;
	row = &rows->rows[rows->nr++];
	*row = (struct stat_row){ .id = *id };
	row->event = append(&names, event);
	row->unit = append(&names, unit);
	row->cgroup = cgroup ? append(&names, cgroup) : NULL;
	return row;
}

bool stat_row__is_zero(const struct stat_row *row)
{
	if (row->state == ROW_NOT_SUPPORTED)
		return false;
	return row->idle || (!row->no_count && row->state == ROW_COUNTED && row->value == 0.0);
}

int stat_rows__make_hists(struct stat_rows *rows, int nr)
{
	struct stat_hist *hists = realloc(rows->hists, sizeof(*hists) * ((size_t)nr + 1));

	if (!hists)
		return -ENOMEM;
	memset(hists, 0, sizeof(*hists) * ((size_t)nr + 1));
	rows->hists = hists;
	rows->nr_hists = nr;
	return 0;
}

void stat_rows__reset(struct stat_rows *rows)
{
	for (int i = 0; i < rows->nr; i++)
		stat_row__clear(&rows->rows[i]);
	rows->nr = 0;
	for (int i = 0; i < rows->nr_hists; i++)
		stat_hist__free(&rows->hists[i]);
	rows->nr_hists = 0;
}

void stat_rows__free(struct stat_rows *rows)
{
	stat_rows__reset(rows);
	free(rows->hists);
	free(rows->rows);
	*rows = (struct stat_rows){ 0 };
}
