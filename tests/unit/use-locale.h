/* SPDX-License-Identifier: GPL-2.0-only */
/* Another locale for a test, built from the machine's sources in a temporary directory. */
#ifndef PSTAT_TESTS_USE_LOCALE_H
#define PSTAT_TESTS_USE_LOCALE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct use_locale {
	char dir[32];
};

/*
 * @name: for example "de_DE". Returns false if localedef or the source of the locale is not
 * installed. Call unuse_locale() in both cases.
 */
static inline bool use_locale(struct use_locale *locale, const char *name)
{
	char text[256];

	snprintf(locale->dir, sizeof(locale->dir), "/tmp/pstat-locale-XXXXXX");
	if (!mkdtemp(locale->dir))
		return false;
	snprintf(text, sizeof(text), "localedef -i %s -f UTF-8 %s/%s.UTF-8 2>/dev/null", name,
		 locale->dir, name);
	if (system(text))
		return false;
	setenv("LOCPATH", locale->dir, 1);
	snprintf(text, sizeof(text), "%s.UTF-8", name);
	return setlocale(LC_ALL, text) != NULL;
}

static inline void unuse_locale(struct use_locale *locale)
{
	char text[64];

	setlocale(LC_ALL, "C");
	unsetenv("LOCPATH");
	snprintf(text, sizeof(text), "rm -rf %s", locale->dir);
	if (system(text))
		fprintf(stderr, "%s stays behind\n", locale->dir);
}

/* Runs @test in a locale with a decimal comma. Skips the test if the locale cannot be built. */
static inline void in_german(void (*test)(void))
{
	struct use_locale locale = { "" };
	bool is_german = use_locale(&locale, "de_DE");

	if (is_german)
		test();
	unuse_locale(&locale);
	if (!is_german) {
		print_message("localedef cannot make de_DE.UTF-8 here\n");
		skip();
	}
}

#endif
