// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/machine/symbols/jit-maps.h"
#include "util/machine/symbols/memory-shares.h"

#define MOST 65536 /* The limit is set in jit-maps.c. */

static int warnings;
static char last[256];

static void keep(enum log_level level, const char *text)
{
	assert_int_equal(level, LOG_WARNING);
	warnings++;
	snprintf(last, sizeof(last), "%s", text);
}

static void processes_beyond_the_limit_are_reported_once(void **state)
{
	/* None of these processes exists. */
	const struct sysroots roots = { .procfs = "/nonexistent" };
	struct memory_shares shares = { 0 };
	struct jit_maps *maps = jit_maps__new(&roots, &shares);

	(void)state;
	assert_non_null(maps);
	log__set_sink(keep);
	for (pid_t pid = 1; pid <= MOST; pid++)
		assert_int_equal(jit_maps__note(maps, pid), 0);
	/* A known process needs no more room. */
	jit_maps__end(maps, 5);
	assert_int_equal(jit_maps__note(maps, 5), 0);
	assert_int_equal(warnings, 0);
	for (pid_t pid = MOST + 1; pid < MOST + 4; pid++)
		assert_int_equal(jit_maps__note(maps, pid), 0);
	log__set_sink(NULL);
	assert_int_equal(warnings, 1);
	assert_non_null(strstr(last, "unknown for process 65537 and later processes"));
	jit_maps__free(maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_beyond_the_limit_are_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
