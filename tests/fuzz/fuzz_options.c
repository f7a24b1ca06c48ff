// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any words, one per line of the input, as the command line of `pstat stat` or, after
 * "profile", of `pstat profile`, on a machine made of files. Stops before the first event would be
 * opened. A refused line must have an exit status and a reason, an accepted line neither. A second
 * pass must give the same result, no file may stay open, and the final options must be consistent.
 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/profile/profile-options.h"
#include "builtin/stat/stat-options.h"
#include "tests/fuzz/stat-words.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

#define WORDS_MAX 64

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	stat_words__init();
	return 0;
}

static int lowest_free_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		abort();
	close(fd);
	return fd;
}

static void check_events(const struct stat_options *options)
{
	const struct evlist *evlist = options->evlist;
	bool has_hist = !options->count.hist;

	if (!evlist || (!evlist->nr && !options->null_run))
		abort();
	for (int i = 0; i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->entries[i];

		if (!evsel->name || evsel->idx != i || evsel->leader->idx > i)
			abort();
		has_hist |= evsel == options->count.hist;
		if (evsel->cgroup && !options->count.in_cgroups)
			abort();
	}
	if (!has_hist)
		abort();
	/* -G, --for-each-cgroup and --cgroup-follow are mutually exclusive */
	if (!options->count.each_cgroup != !options->count.nr_each_cgroup ||
	    options->count.in_cgroups + !!options->count.each_cgroup +
			    !!options->count.cgroup_follow >
		    1)
		abort();
}

/* Conditions on which the later steps rely. */
static void check(const struct stat_options *options)
{
	const struct stat_config *cfg = &options->count;

	if (options->csv_separator && options->json)
		abort();
	if ((cfg->per_prog || cfg->follow_progs) && !cfg->progs)
		abort();
	if ((cfg->hist || cfg->outliers) && !cfg->progs && !cfg->scopes)
		abort();
	if ((cfg->per_scope || cfg->inclusive) && !cfg->scopes)
		abort();
	if (cfg->interval_count && !cfg->interval_ns)
		abort();
	if (!cfg->argv != !options->argc || (cfg->argv && cfg->argv[options->argc]))
		abort();
	if (cfg->threads && options->all_cpus && !cfg->all_threads)
		abort();
	if (cfg->cpus && cpumap__is_any(cfg->cpus))
		abort();
	check_events(options);
}

static int parse_stat(int argc, char **argv)
{
	struct stat_options options;
	int code = stat_options__parse(argc, argv, false, &options);

	if (!code && !options.show_version)
		check(&options);
	stat_options__free(&options);
	return code;
}

/* In a profile, programs are not a target, but select samples. */
static int parse_profile(int argc, char **argv)
{
	struct profile_options options;
	int code = profile_options__parse(argc, argv, &options);

	if (!code) {
		check(&options.stat);
		if (options.stat.count.progs || (options.annotate && !options.sampling.progs))
			abort();
		if (!options.sampling.freq == !options.sampling.period ||
		    !options.sampling.map_size)
			abort();
	}
	profile_options__free(&options);
	return code;
}

/* Returns the exit status; the messages are in told. */
static int parse(int argc, char *const *words)
{
	bool profile = argc > 1 && !strcmp(words[1], "profile");
	char *argv[WORDS_MAX + 1];
	int code;

	memcpy(argv, words, sizeof(*argv) * ((size_t)argc + 1));
	told__begin();
	code = profile ? parse_profile(argc - 1, argv + 1) : parse_stat(argc, argv);
	told__end();
	if (code ? !told.nr_errors && !told.bare_len : told.nr_errors != 0)
		abort();
	if (code && code != EXIT_USAGE && code != EXIT_CONFLICT && code != EXIT_FAILED)
		abort();
	return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *rest = text, *word;
	char *words[WORDS_MAX + 1] = { (char *)"pstat" };
	int argc = 1, code, fd = lowest_free_fd();
	struct strbuf first;

	if (!text)
		abort();
	while (argc < WORDS_MAX && (word = strsep(&rest, "\n")))
		words[argc++] = word;
	code = parse(argc, words);
	first = told.text;
	if (parse(argc, words) != code || strcmp(first.text ?: "", told.text.text ?: "") != 0)
		abort();
	if (lowest_free_fd() != fd)
		abort();
	strbuf__free(&first);
	strbuf__free(&told.text);
	free(text);
	return 0;
}
