// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as a vendor's file of metrics. The file must be refused with a position, or each
 * of its metrics must be found by name.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/metric/metric-file.h"
#include "util/metric/metric-table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct metric_table *table)
{
	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (!def->name || !*def->name || !def->expr)
			abort();
		if (!metric_table__find(table, def->name, def->pmu))
			abort();
		if (def->groups)
			metric_table__list_has(def->groups, def->name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("metrics", MFD_CLOEXEC), err;
	struct metric_table *table = metric_table__new();
	struct strbuf why = STRBUF_INIT;
	char path[32];

	if (fd < 0 || !table || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = metric_file__load(path, table, &why);
	if (err ? err != -EINVAL || strncmp(why.text, path, strlen(path)) != 0 : why.len != 0)
		abort();
	if (!err)
		check(table);
	metric_table__free(table);
	strbuf__free(&why);
	close(fd);
	return 0;
}
