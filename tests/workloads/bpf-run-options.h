/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of bpf-run. */
#ifndef PSTAT_WORKLOADS_BPF_RUN_OPTIONS_H
#define PSTAT_WORKLOADS_BPF_RUN_OPTIONS_H

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <linux/types.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum mode { MODE_STDIN, MODE_COMMAND, MODE_RUNS, MODE_TIME, MODE_FOREVER, MODE_HOLD };

struct options {
	const char *type, *prog;
	__u64 loops, runs, batch, ms, timer_ns, late_ms;
	__u64 id;	/* ID of the program to run; 0: load a program */
	__u64 cpu;	/* the CPU to run on */
	char **command; /* NULL-terminated */
	const char *attach;
	enum mode mode;
	bool each, print_id, any_cpu;
};

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("bpf-run: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static void usage(FILE *out)
{
	fputs("Usage: bpf-run [--prog empty|more|count|loop|print|lookup|read] [--type "
	      "xdp|raw_tp|syscall] [--loops N] "
	      "[--cpu N] "
	      "[--attach "
	      "TP] [--timer NS]\n"
	      "               [--late MS] [--print-id] [--each] [--batch N]\n"
	      "               [--runs N | --for MS | --forever | --hold | COMMAND...]\n"
	      "       bpf-run --id ID [--cpu N] [--attach TP] [--timer NS] [--each] [--batch N]\n"
	      "               [--runs N | --for MS | --forever]\n"
	      "  --prog, --type  which program to load; default: an empty XDP program\n"
	      "  --loops N       loop iterations in each run of `loop`\n"
	      "  --late MS       how long each run of `read` sleeps\n"
	      "  --id ID         run this program, which another process has loaded\n"
	      "  --cpu N         run it on this CPU\n"
	      "  --attach TP     attach it to this raw tracepoint too, so that the kernel runs it "
	      "as well\n"
	      "  --timer NS      interrupt CPU 0 every NS nanoseconds, which fires "
	      "hrtimer_expire_entry\n"
	      "  --print-id      first print the program's id on a line\n"
	      "  --runs N        run it N times\n"
	      "  --for MS        run it for MS milliseconds\n"
	      "  --forever       run it until SIGTERM\n"
	      "  --hold          keep it loaded until SIGTERM, without running it\n"
	      "  COMMAND         keep it loaded while COMMAND runs, with the program's id as "
	      "$BPF_ID\n"
	      "  --each          make a system call for each run; programs that are not XDP always "
	      "do\n"
	      "  --batch N       runs between two readings of the clock; default: 1000\n"
	      "Without --runs, --for, --forever, --hold and COMMAND, read commands from stdin: run "
	      "N, "
	      "time N B, loops N, counter, quit\n",
	      out);
}

static __u64 parse_number(const char *text, __u64 max)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n > max)
		die("not a number from 0 to %llu: %s", (unsigned long long)max, text);
	return n;
}

static const struct option option_table[] = {
	{ "prog", required_argument, NULL, 'p' },
	{ "type", required_argument, NULL, 't' },
	{ "loops", required_argument, NULL, 'l' },
	{ "id", required_argument, NULL, 'i' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "print-id", no_argument, NULL, 'I' },
	{ "runs", required_argument, NULL, 'r' },
	{ "for", required_argument, NULL, 'm' },
	{ "forever", no_argument, NULL, 'f' },
	{ "hold", no_argument, NULL, 'H' },
	{ "each", no_argument, NULL, 'e' },
	{ "batch", required_argument, NULL, 'b' },
	{ "late", required_argument, NULL, 'L' },
	{ "attach", required_argument, NULL, 'a' },
	{ "timer", required_argument, NULL, 'T' },
	{ "help", no_argument, NULL, 'h' },
	{},
};

/* Options with a number, and the largest number allowed. */
static const struct {
	char key;
	size_t at; /* in struct options */
	__u64 max;
} number_options[] = {
	{ 'l', offsetof(struct options, loops), 1 << 23 }, /* the limit of bpf_loop() */
	{ 'L', offsetof(struct options, late_ms), 60000 },
	{ 'T', offsetof(struct options, timer_ns), UINT_MAX },
	{ 'i', offsetof(struct options, id), UINT_MAX },
	{ 'C', offsetof(struct options, cpu), CPU_SETSIZE - 1 },
	{ 'r', offsetof(struct options, runs), ULLONG_MAX },
	{ 'm', offsetof(struct options, ms), UINT_MAX },
	{ 'b', offsetof(struct options, batch), INT_MAX },
};

/* Options that select what to do. */
static const struct {
	char key;
	enum mode mode;
} mode_options[] = {
	{ 'r', MODE_RUNS }, { 'm', MODE_TIME }, { 'f', MODE_FOREVER }, { 'H', MODE_HOLD }
};

/* Returns false if the option is in neither table. */
static bool take_from_tables(struct options *opts, int key, const char *arg)
{
	bool is_taken = false;

	for (size_t i = 0; i < sizeof(number_options) / sizeof(number_options[0]); i++) {
		if (number_options[i].key != key)
			continue;
		*(__u64 *)((char *)opts + number_options[i].at) =
			parse_number(arg, number_options[i].max);
		is_taken = true;
	}
	for (size_t i = 0; i < sizeof(mode_options) / sizeof(mode_options[0]); i++) {
		if (mode_options[i].key != key)
			continue;
		opts->mode = mode_options[i].mode;
		is_taken = true;
	}
	if (key == 'C')
		opts->any_cpu = false;
	return is_taken;
}

static void take_option(struct options *opts, int key, const char *arg)
{
	switch (key) {
	case 'p':
		opts->prog = arg;
		break;
	case 't':
		opts->type = arg;
		break;
	case 'a':
		opts->attach = arg;
		break;
	case 'I':
		opts->print_id = true;
		break;
	case 'e':
		opts->each = true;
		break;
	case 'h':
		usage(stdout);
		exit(0);
	default:
		usage(stderr);
		exit(2);
	}
}

static struct options parse_options(int argc, char **argv)
{
	struct options opts = { .type = "xdp", .prog = "empty", .batch = 1000, .any_cpu = true };
	int key;

	while ((key = getopt_long(argc, argv, "+", option_table, NULL)) >= 0)
		if (!take_from_tables(&opts, key, optarg))
			take_option(&opts, key, optarg);
	if (optind == argc)
		return opts;
	if (opts.mode != MODE_STDIN) {
		usage(stderr);
		exit(2);
	}
	opts.mode = MODE_COMMAND;
	opts.command = argv + optind;
	return opts;
}

#endif
