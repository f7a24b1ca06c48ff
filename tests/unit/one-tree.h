/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One invented tree of files for all tests of a file: `tree`, made and removed by cmocka's setup
 * and teardown.
 */
#ifndef PSTAT_TESTS_UNIT_ONE_TREE_H
#define PSTAT_TESTS_UNIT_ONE_TREE_H

#include "tests/unit/fake-tree.h"

static struct fake_tree tree;

static inline int make_tree(void **state)
{
	(void)state;
	fake_tree__init(&tree);
	return 0;
}

static inline int remove_tree(void **state)
{
	(void)state;
	fake_tree__free(&tree);
	return 0;
}

#endif
