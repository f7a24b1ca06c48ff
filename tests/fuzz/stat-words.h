/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For fuzzers of the command line of `pstat stat`: a machine made of files in place of this one,
 * and the messages for the user. They are linked with --wrap=sysroots__host, --wrap=argp_parse.
 */
#ifndef PSTAT_TESTS_FUZZ_STAT_WORDS_H
#define PSTAT_TESTS_FUZZ_STAT_WORDS_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/machine.h"
#include "tests/unit/machine-files.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"

const struct sysroots *__wrap_sysroots__host(void);
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *end, void *input);
error_t __real_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *end, void *input);

/* The messages since told__begin(). */
struct told {
	struct strbuf text; /* each message in a line */
	int nr_errors;
	FILE *own_stderr;
	/*
	 * messages that do not go through the log: those of argp, and perf's own texts, which may
	 * be only notes
	 */
	char *bare;
	size_t bare_len;
};

static struct told told;

const struct sysroots *__wrap_sysroots__host(void)
{
	return &machine.roots;
}

/*
 * Makes argp return an error instead of ending the process. --help needs no fuzzer, and is refused.
 */
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *end, void *input)
{
	return __real_argp_parse(argp, argc, argv, flags | ARGP_NO_EXIT | ARGP_NO_HELP, end, input);
}

static inline void told__take(enum log_level level, const char *text)
{
	size_t len = strlen(text);

	if (!len || text[len - 1] == '\n')
		abort();
	told.nr_errors += level == LOG_ERROR;
	strbuf__addf(&told.text, "%d %s\n", (int)level, text);
}

static inline void told__begin(void)
{
	told = (struct told){ .text = STRBUF_INIT, .own_stderr = stderr };
	stderr = open_memstream(&told.bare, &told.bare_len);
	if (!stderr)
		abort();
}

static inline void told__end(void)
{
	if (fclose(stderr))
		abort();
	stderr = told.own_stderr;
	strbuf__addf(&told.text, "%s", told.bare);
	free(told.bare);
}

/* A server with process 7, process 10 with two threads, and the cgroups a, a/b, c. */
static inline void stat_words__init(void)
{
	static const char *const files[] = { "proc/7/task/7/status",   "proc/10/task/10/status",
					     "proc/10/task/11/status", "proc/7/status",
					     "proc/10/status",	       "proc/11/status",
					     "cg/a/b/cgroup.procs",    "cg/c/cgroup.procs",
					     "cg/cgroup.procs" };
	char mounts[256];

	fake_roots__load(&machine, "server");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		fake_roots__file(&machine, files[i], "Name:\tx\nState:\tS (sleeping)\nTgid:\t10\n");
	snprintf(mounts, sizeof(mounts), "cgroup2 %s/cg cgroup2 rw 0 0\n", machine.dir);
	fake_roots__file(&machine, "proc/mounts", mounts);
	setenv("PERF_CONFIG", "", 1);
	log__set_sink(told__take);
	atexit(machine__remove);
}

#endif
