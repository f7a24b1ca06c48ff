/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory that a test makes in place of /sys or /proc. */
#ifndef PSTAT_TESTS_FAKE_TREE_H
#define PSTAT_TESTS_FAKE_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/made-files.h"

struct fake_tree {
	char root[32];
};

static inline void fake_tree__init(struct fake_tree *tree)
{
	strcpy(tree->root, "/tmp/pstat-tree-XXXXXX");
	assert_non_null(mkdtemp(tree->root));
}

/* Writes exactly these bytes to the file @path. */
static inline void fake_tree__write_bytes(struct fake_tree *tree, const void *data, size_t size,
					  const char *path)
{
	assert_int_equal(made_files__write(tree->root, path, data, size), 0);
}

/* Writes @text and a newline to the file @path, and makes its directories. */
__attribute__((format(printf, 3, 4))) static inline void fake_tree__write(struct fake_tree *tree,
									  const char *text,
									  const char *path, ...)
{
	char whole[PATH_MAX], *line;
	va_list ap;
	int len;

	va_start(ap, path);
	vsnprintf(whole, sizeof(whole), path, ap);
	va_end(ap);
	len = asprintf(&line, "%s\n", text);
	assert_true(len > 0);
	fake_tree__write_bytes(tree, line, (size_t)len, whole);
	free(line);
}

static inline void fake_tree__write_int(struct fake_tree *tree, int value, const char *folder,
					const char *name)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	fake_tree__write(tree, text, "%s/%s", folder, name);
}

static inline void fake_tree__free(struct fake_tree *tree)
{
	assert_int_equal(made_files__remove(tree->root), 0);
}

/*
 * The place of a CPU, and the CPUs that share its last-level cache: a row of an invented machine.
 */
struct fake_cpu {
	int cpu, socket, die, cluster, core;
	const char *shares;
};

static inline void fake_tree__add_cpu(struct fake_tree *tree, const struct fake_cpu *c)
{
	char folder[64];

	snprintf(folder, sizeof(folder), "devices/system/cpu/cpu%d/topology", c->cpu);
	fake_tree__write_int(tree, c->socket, folder, "physical_package_id");
	fake_tree__write_int(tree, c->die, folder, "die_id");
	fake_tree__write_int(tree, c->cluster, folder, "cluster_id");
	fake_tree__write_int(tree, c->core, folder, "core_id");
	if (!c->shares)
		return;
	snprintf(folder, sizeof(folder), "devices/system/cpu/cpu%d/cache/index0", c->cpu);
	fake_tree__write_int(tree, 1, folder, "level");
	fake_tree__write_int(tree, c->cpu, folder, "shared_cpu_list");
	snprintf(folder, sizeof(folder), "devices/system/cpu/cpu%d/cache/index1", c->cpu);
	fake_tree__write_int(tree, 3, folder, "level");
	fake_tree__write(tree, c->shares, "%s/shared_cpu_list", folder);
}

#endif
