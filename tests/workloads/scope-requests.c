// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles requests, for tests of --scope. A request calls a function of known length between two
 * points of each kind: the USDT points pstat_test:begin and pstat_test:end, the system calls getuid
 * and getgid, their tracepoints, and their functions in the kernel.
 *
 *	scope-requests [-m REQUESTS] [-k INSTRUCTIONS] [-s US] [WHAT]
 *
 * Each request calls work(), which executes INSTRUCTIONS instructions. WHAT is one of:
 *	calls	each request contains nothing else; the default
 *	nested	each request contains two others
 *	recursive	each request contains another, until 6 are in progress
 *	threads	20 threads make REQUESTS requests each
 *	forks	REQUESTS children make one request each, and so does the parent after each fork
 *	exit	REQUESTS threads that end in a request
 *	sleep	each request sleeps for US microseconds
 *	move	each request moves the thread to another CPU: in turn, to the first and to the
 *		second CPU that it may use
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/workloads/run-threads.h"
#include "tests/workloads/scope-work.h"
#include "tests/workloads/usdt.h"

USDT_BASE();

static long requests = 1, loops = 48, pause_us = 1000;

/* Passes the points. Between them, calls work() and, if it is not NULL, @more. */
FUNCTION void request(void (*more)(int), int arg)
{
	syscall(SYS_getuid);
	USDT_PLACE(pstat_test, begin, 0);
	work(loops);
	if (more)
		more(arg);
	USDT_PLACE(pstat_test, end, 0);
	syscall(SYS_getgid);
}

static void request_twice(int arg)
{
	(void)arg;
	request(NULL, 0);
	request(NULL, 0);
}

static void request_again(int depth)
{
	if (depth)
		request(request_again, depth - 1);
}

static void sleep_in_request(int arg)
{
	(void)arg;
	usleep((useconds_t)pause_us);
}

static void end_in_request(int arg)
{
	(void)arg;
	pthread_exit(NULL);
}

static void change_cpu(int arg)
{
	static cpu_set_t all;
	static bool on_second;
	cpu_set_t one;
	int cpu = 0;

	(void)arg;
	if (!CPU_COUNT(&all))
		sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	for (cpu += on_second; on_second && !CPU_ISSET(cpu, &all);)
		cpu++;
	on_second = !on_second;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		exit(1);
}

static void *make_requests(void *arg)
{
	for (long i = 0; i < requests; i++)
		request(NULL, 0);
	return arg;
}

static void *end_thread(void *arg)
{
	request(end_in_request, 0);
	return arg;
}

static void fork_and_request(void)
{
	pid_t pid = fork();

	request(NULL, 0);
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

/*
 * Gives the process as many mappings as programs with libraries have. At each uprobe, the kernel
 * searches for the mapping, so the cost depends on the number of mappings.
 */
static void map_pages(void)
{
	for (int i = 0; i < 40; i++)
		mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int run(const char *what)
{
	static const struct {
		const char *name;
		void (*more)(int);
		int arg;
	} kinds[] = {
		{ "calls", NULL, 0 },
		{ "nested", request_twice, 0 },
		{ "recursive", request_again, 5 },
		{ "sleep", sleep_in_request, 0 },
		{ "move", change_cpu, 0 },
	};

	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		if (strcmp(what, kinds[kind].name))
			continue;
		if (kinds[kind].more == change_cpu)
			change_cpu(0);
		for (long i = 0; i < requests; i++)
			request(kinds[kind].more, kinds[kind].arg);
		return 0;
	}
	if (!strcmp(what, "threads"))
		run_threads(20, make_requests);
	else if (!strcmp(what, "exit"))
		run_threads(requests, end_thread);
	else if (!strcmp(what, "forks"))
		for (long i = 0; i < requests; i++)
			fork_and_request();
	else
		return 2;
	return 0;
}

int main(int argc, char **argv)
{
	int letter;

	while ((letter = getopt(argc, argv, "m:k:s:")) > 0) {
		if (letter == 'm')
			requests = atol(optarg);
		else if (letter == 'k')
			loops = (atol(optarg) - FIXED) / 2;
		else if (letter == 's')
			pause_us = atol(optarg);
		else
			return 2;
	}
	map_pages();
	return run(argv[optind] ?: "calls");
}
