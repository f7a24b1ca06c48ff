/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats the results of `pstat compare`, --against and --ab, and determines the exit code. */
#ifndef PSTAT_BUILTIN_COMPARE_PRINT_H
#define PSTAT_BUILTIN_COMPARE_PRINT_H

#include <stdbool.h>

struct baseline;
struct compare;
struct compare_spec;
struct strbuf;

struct compare_format {
	bool json;
	bool markdown;
	const char *separator; /* the separator of CSV; NULL: no CSV */
};

/*
 * The exit codes of a comparison, if not 0. EXIT_WORSE: an event of --fail-over is worse by more
 * than its limit. EXIT_CANNOT_TELL: with --strict, pstat cannot decide whether one of these events
 * is worse, and EXIT_WORSE does not apply.
 */
#define EXIT_WORSE 100
#define EXIT_CANNOT_TELL 101

/* Adds the comparison to @text in the format @format. */
void compare_print__add(const struct compare *c, const struct compare_format *format,
			struct strbuf *text);

/*
 * Compares @old with @new, and adds the result to @text. Warns if the result could be wrong because
 * the machines differ, because counts of the events of --fail-over are missing or multiplexed, or
 * because runs were lost. Returns an exit code of a comparison, or EXIT_USAGE or EXIT_FAILED after
 * reporting an error.
 */
int compare_print__run(const struct baseline *old, const struct baseline *new,
		       const struct compare_spec *spec, const struct compare_format *format,
		       bool strict, struct strbuf *text);

#endif
