// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat why: reads a command line of `pstat stat`, `profile` or `export`, and finds out which of
 * its events the kernel refuses, and why. Opens the events as a session would
 * (util/count/why/why-events.h), but counts nothing.
 *
 *	why-run.c	tries the whole command line
 *	why-row.c	the result for one event
 *	why-bpf.c	tests the ways of counting through BPF, and BPF programs
 *	why-hint.c	the hint to run `pstat why`, printed after a session
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/export/export-options.h"
#include "builtin/profile/profile-options.h"
#include "builtin/stat/stat-options.h"
#include "builtin/version.h"
#include "builtin/why/why-run.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"

/*
 * The options that --help shows. `pstat why` also accepts all other options of `pstat stat` or,
 * after the word profile or export, the options of that command.
 */
static const struct argp_option shown_options[] = {
	{ "event", 'e', "EVENT[,EVENT...]", 0,
	  "the events; default: the default events of `pstat stat`", 0 },
	{ "bpf-prog", 'b', "PROG[,PROG...]", 0, "check these BPF programs", 0 },
	{ "all-cpus", 'a', NULL, 0, "open the events on all CPUs", 0 },
	{ "cpu", 'C', "CPU[,CPU-CPU...]", 0, "open the events on these CPUs", 0 },
	{ "pid", 'p', "PID[,PID...]", 0, "open the events for all threads of these processes", 0 },
	{ "tid", 't', "TID[,TID...]", 0, "open the events for these threads", 0 },
	{ "cgroup", 'G', "NAME[,NAME...]", 0, "open the events for the tasks of a cgroup", 0 },
	{ "bpf-counters", 1, NULL, 0, "open the events as shared counters are opened: for CPUs",
	  0 },
	{ "no-inherit", 'i', NULL, 0, "do not let child tasks inherit the events", 0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 },
};

static bool take_no_option(void *to, int key, char *arg)
{
	(void)to;
	(void)key;
	(void)arg;
	return false;
}

static const struct command_words help_words = {
	.options = shown_options,
	.take_option = take_no_option,
	.args_doc = "[COMMAND [ARG...]]",
	.doc = "Find out why the kernel refuses events, and what would work. All options of `pstat "
	       "stat` are accepted: insert the word why into a command line that failed. After "
	       "the word profile or export, the options of that command are accepted. Nothing is "
	       "counted, and COMMAND is not run.\n\n"
	       "Examples:\n"
	       "  pstat why -e cycles:pp,cs -a       why these events cannot be counted\n"
	       "  pstat why -j -e cycles -p 1234     the reasons as JSON\n"
	       "  pstat why -b 42 -e cycles          why a BPF program cannot be counted\n"
	       "  pstat why profile -e cycles:pp     why an event cannot be sampled\n",
};

static int print(const struct strbuf *text)
{
	if (fputs(text->text, stdout) >= 0 && !fflush(stdout))
		return 0;
	pr_err("cannot write the reasons: %s", strerror(errno));
	return EXIT_FAILED;
}

static int run(const struct stat_options *options)
{
	struct strbuf text = STRBUF_INIT;
	bool refused = false;
	int code;

	bpf_util__init();
	code = why_run(options, options->json, &text, &refused) ? EXIT_FAILED : 0;
	code = code ?: print(&text);
	strbuf__free(&text);
	return code ?: refused ? EXIT_FAILED : 0;
}

static int why_stat(int argc, char **argv)
{
	struct stat_options options;
	int code;

	argv[0] = (char *)"pstat";
	code = stat_options__parse(argc, argv, false, &options);
	if (!code && options.show_version)
		version__print(options.verbose);
	else if (!code)
		code = run(&options);
	stat_options__free(&options);
	return code;
}

static int why_profile(int argc, char **argv)
{
	struct profile_options options;
	int code;

	argv[0] = (char *)"pstat profile";
	code = profile_options__parse(argc, argv, &options);
	if (!code)
		code = run(&options.stat);
	profile_options__free(&options);
	return code;
}

static int why_export(int argc, char **argv)
{
	struct export_options options;
	int code;

	argv[0] = (char *)"pstat export";
	code = export_options__parse(argc, argv, &options);
	if (!code)
		code = run(&options.stat);
	export_options__free(&options);
	return code;
}

static bool asks_for_help(int argc, char **argv)
{
	return argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
			     !strcmp(argv[1], "-?") || !strcmp(argv[1], "--usage"));
}

int command__why(int argc, char **argv)
{
	if (asks_for_help(argc, argv))
		return command__parse(&help_words, "pstat why", argc, argv, NULL);
	command__set_locale();
	if (argc > 1 && !strcmp(argv[1], "profile"))
		return why_profile(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "export"))
		return why_export(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "stat"))
		return why_stat(argc - 1, argv + 1);
	return why_stat(argc, argv);
}
