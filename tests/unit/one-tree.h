/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An invented tree of files, `tree`, that all tests of a source file share. cmocka's setup and
 * teardown make and remove it.
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
