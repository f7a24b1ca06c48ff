// SPDX-License-Identifier: GPL-2.0-only
/*
 * ping-pong: two tasks on one CPU send a byte to each other through two pipes. A round trip is two
 * context switches.
 *
 *	ping-pong --ops N
 *	    makes N round trips
 *	ping-pong --for MS
 *	    makes round trips for MS milliseconds
 *	ping-pong
 *	    prints `pids FIRST SECOND`, the IDs of the two tasks. Then executes commands from
 *	    standard input, line by line: ops N, for MS, ops N times B
 *
 * ping-pong answers each command with a line `ops N ns T`, which means that N round trips took T
 * ns. With `times B`, it makes N round trips B times, and the line contains B values of T. While
 * ping-pong waits for a command, both tasks exist and sleep in read(2), so a test can begin to
 * count them. With --threads, the tasks are threads of one process, and SECOND is a thread ID.
 * --cpu N is the CPU that the tasks share. The default is the first CPU that this process may use.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OPS_BETWEEN_LOOKS 64 /* round trips between two readings of the clock */
#define STDOUT_SIZE 65536    /* output is buffered while time is measured */

struct options {
	unsigned long ops, ms; /* 0: stdin selects it */
	int cpu;	       /* -1: the first CPU */
	bool threads;
};

/* Bytes go to the other task through ping, and come back through pong. */
static int ping[2], pong[2];

static void die(const char *what)
{
	fprintf(stderr, "ping-pong: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The other task. Answers until the first task closes its pipe. */
static void answer(void)
{
	char byte;

	while (read(ping[0], &byte, 1) == 1)
		if (write(pong[1], &byte, 1) != 1)
			break;
}

static void *answer_as_thread(void *tid)
{
	*(pid_t *)tid = gettid();
	if (write(pong[1], "r", 1) != 1)
		die("write");
	answer();
	return NULL;
}

static pid_t start_thread(void)
{
	static pid_t tid;
	pthread_t thread;
	char byte;

	errno = pthread_create(&thread, NULL, answer_as_thread, &tid);
	if (errno || read(pong[0], &byte, 1) != 1)
		die("pthread_create");
	return tid;
}

static pid_t start_process(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		close(ping[1]); /* otherwise, the child would not notice the end of this process */
		close(pong[0]);
		answer();
		_exit(0);
	}
	close(ping[0]);
	close(pong[1]);
	return pid;
}

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Makes @n round trips. Returns their duration in ns. */
static unsigned long long round_trips(unsigned long n)
{
	const unsigned long long start = now_ns();
	char byte = 'p';

	while (n--)
		if (write(ping[1], &byte, 1) != 1 || read(pong[0], &byte, 1) != 1)
			die("the other task has ended");
	return now_ns() - start;
}

static void play_ops(unsigned long ops, unsigned long times)
{
	printf("ops %lu ns", ops);
	while (times--)
		printf(" %llu", round_trips(ops));
	putchar('\n');
	fflush(stdout);
}

static void play_for(unsigned long ms)
{
	const unsigned long long start = now_ns();
	unsigned long long ns;
	unsigned long done;

	for (done = 0; (ns = now_ns() - start) < ms * 1000000ULL; done += OPS_BETWEEN_LOOKS)
		round_trips(OPS_BETWEEN_LOOKS);
	printf("ops %lu ns %llu\n", done, ns);
	fflush(stdout);
}

static void play_as_told(void)
{
	unsigned long n, times;
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		times = 1;
		if (sscanf(line, "ops %lu times %lu", &n, &times) >= 1 && n) {
			play_ops(n, times);
		} else if (sscanf(line, "for %lu", &n) == 1 && n) {
			play_for(n);
		} else {
			fprintf(stderr, "ping-pong: cannot do this: %s", line);
			exit(2);
		}
	}
}

static void stay_on_cpu(int cpu)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("sched_getaffinity");
	for (int i = 0; cpu < 0 && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			cpu = i;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot run on that CPU");
}

static void usage(void)
{
	fputs("Usage: ping-pong [--threads] [--cpu N] [--ops N | --for MS]\n"
	      "Without --ops and --for: commands from stdin: ops N, ops N times B, for MS\n",
	      stderr);
	exit(2);
}

static unsigned long parse_number(const char *text, unsigned long min, unsigned long max)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < min || n > max) {
		fprintf(stderr, "ping-pong: not a number from %lu to %lu: %s\n", min, max, text);
		exit(2);
	}
	return n;
}

static struct options parse_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "ops", required_argument, NULL, 'o' },
		{ "for", required_argument, NULL, 'f' },
		{ "cpu", required_argument, NULL, 'c' },
		{ "threads", no_argument, NULL, 't' },
		{},
	};
	struct options opts = { .cpu = -1 };
	int opt;

	while ((opt = getopt_long(argc, argv, "", table, NULL)) >= 0) {
		switch (opt) {
		case 'o':
			opts.ops = parse_number(optarg, 1, ~0UL);
			break;
		case 'f':
			opts.ms = parse_number(optarg, 1, 1000000000);
			break;
		case 'c':
			opts.cpu = (int)parse_number(optarg, 0, CPU_SETSIZE - 1);
			break;
		case 't':
			opts.threads = true;
			break;
		default:
			usage();
		}
	}
	if (optind < argc || (opts.ops && opts.ms))
		usage();
	return opts;
}

int main(int argc, char **argv)
{
	const struct options opts = parse_options(argc, argv);
	pid_t other;

	stay_on_cpu(opts.cpu);
	if (pipe(ping) || pipe(pong))
		die("pipe");
	other = opts.threads ? start_thread() : start_process();

	setvbuf(stdout, NULL, _IOFBF, STDOUT_SIZE);
	if (opts.ops) {
		play_ops(opts.ops, 1);
	} else if (opts.ms) {
		play_for(opts.ms);
	} else {
		printf("pids %d %d\n", getpid(), other);
		fflush(stdout);
		play_as_told();
	}
	return 0;
}
