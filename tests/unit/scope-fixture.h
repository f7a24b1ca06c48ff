/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of scopes, and an invented tree of files, for the tests of util/machine/scope/. */
#ifndef PSTAT_TESTS_UNIT_SCOPE_FIXTURE_H
#define PSTAT_TESTS_UNIT_SCOPE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake-tree.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope.h"

struct fixture {
	struct scope_list list;
	struct scope_env env;
	struct sysroots roots;
	struct fake_tree tree;
	struct strbuf why;
};

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->why = (struct strbuf)STRBUF_INIT;
	f->roots = *sysroots__host();
	f->env.roots = &f->roots;
	fake_tree__init(&f->tree);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	scope_list__free(&f->list);
	strbuf__free(&f->why);
	fake_tree__free(&f->tree);
	free(f);
	return 0;
}

/* Adds the scopes of @spec to the list. */
static inline int add(struct fixture *f, const char *spec)
{
	strbuf__reset(&f->why);
	return scope_list__add(&f->list, &f->env, spec, &f->why);
}

/*
 * Expects that @spec is refused with @err, and that the message names @column and contains @part.
 */
static inline void expect_error(struct fixture *f, const char *spec, int err, int column,
				const char *part)
{
	int nr = f->list.nr, nr_files = f->list.nr_files;
	struct strbuf start = STRBUF_INIT;

	assert_int_equal(add(f, spec), err);
	strbuf__addf(&start, "'%s', character %d: ", spec, column);
	if (strncmp(f->why.text, start.text, start.len) || !strstr(f->why.text, part))
		fail_msg("\"%s\" should begin with \"%s\" and contain \"%s\"", f->why.text,
			 start.text, part);
	assert_int_equal(f->list.nr, nr);
	assert_int_equal(f->list.nr_files, nr_files);
	strbuf__free(&start);
}

#endif
