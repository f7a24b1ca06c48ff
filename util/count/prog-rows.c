// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog-rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int prog_rows__add(struct prog_rows *rows, const char *name, uint32_t id)
{
	struct prog_row *bigger = realloc(rows->rows, sizeof(*bigger) * ((size_t)rows->nr + 1));
	char *copy = strdup(name);

	if (bigger)
		rows->rows = bigger;
	if (!bigger || !copy) {
		free(copy);
		return -ENOMEM;
	}
	bigger[rows->nr] = (struct prog_row){ .name = copy, .id = id };
	return rows->nr++;
}

void prog_rows__free(struct prog_rows *rows)
{
	for (int i = 0; i < rows->nr; i++)
		free(rows->rows[i].name);
	free(rows->rows);
	*rows = (struct prog_rows){ 0 };
}
