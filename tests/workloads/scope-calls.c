// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls functions whose number of instructions is known, for tests of --scope.
 *
 *	scope-calls [-m CALLS] [-k INSTRUCTIONS] [-s US] [-w] [WHAT]
 *
 * WHAT is one of:
 *	calls	work() CALLS times; the default
 *	nested	outer() CALLS times, which calls work() twice
 *	recursive	recurse() CALLS times, each with 5 calls to itself
 *	threads	20 threads that call work() CALLS times each
 *	forks	CALLS calls to around(), in which the process forks; then the parent and the child
 *		call work() once each
 *	jump	CALLS calls to leave(), each left by longjmp(3), and as many calls to work()
 *	exec	a call to around() in which the process execs `scope-calls -m CALLS`
 *	exit	CALLS threads that end in a call to around()
 *	sleep	nap() CALLS times, each with work() and a sleep of US microseconds
 *	getppid	the system call CALLS times
 *	empty	CALLS system calls with a number that no kernel has, which do nothing
 *	between	work() CALLS times, between the system calls getuid and getgid
 *	compat	the 32-bit system call 64 (getppid) CALLS times, on x86-64
 *	overlap	nap(), end_first() and end_second() CALLS times
 *	lost	CALLS calls to around(), in each of which quit() calls nap() and is left by
 *		longjmp(3), and then work() is called
 *	move	CALLS calls to around(), each of which moves the thread to another CPU: in turn, to
 *		the second and to the first CPU that it may use; work() after each
 *	signal	CALLS calls to around(), in each of which a signal handler calls work()
 *	vfork	CALLS calls to around(), in which a child shares the memory until it exits
 *	deep	a call to dive(), which calls itself until CALLS calls are in progress
 *	coroutines	two coroutines that call turn() CALLS times each, with work() after each;
 *		turn() switches to the other coroutine
 *	rename	the thread sets its name CALLS times, with work() after each
 *
 * -w waits for a line on standard input before the first call.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/workloads/run-threads.h"
#include "tests/workloads/scope-work.h"

static long calls = 1, loops = 48, pause_us = 1000;
static jmp_buf back;
static volatile int sink;

FUNCTION void outer(void)
{
	work(loops);
	work(loops);
	sink++;
}

FUNCTION void recurse(int depth)
{
	work(loops);
	if (depth)
		recurse(depth - 1);
	sink++;
}

FUNCTION void leave(void)
{
	sink++;
	longjmp(back, 1);
}

FUNCTION void nap(void)
{
	work(loops);
	usleep((useconds_t)pause_us);
	sink++;
}

/* The two functions differ, because the compiler would merge identical functions. */
FUNCTION void end_first(void)
{
	sink++;
}

FUNCTION void end_second(void)
{
	sink--;
}

FUNCTION void quit(void)
{
	nap();
	longjmp(back, 1);
}

FUNCTION void around(void (*call)(void))
{
	call();
	sink++;
}

static void *call_work(void *arg)
{
	for (long i = 0; i < calls; i++)
		work(loops);
	return arg;
}

static void end_thread(void)
{
	pthread_exit(NULL);
}

static void *call_exit(void *arg)
{
	around(end_thread);
	return arg;
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		return; /* the child also returns from around() */
	waitpid(pid, NULL, 0);
}

static void run_forks(void)
{
	pid_t self = getpid();

	for (long i = 0; i < calls; i++) {
		around(fork_once);
		work(loops);
		if (getpid() != self)
			_exit(0);
	}
}

static void run_jumps(void)
{
	for (volatile long i = 0; i < calls; i++) {
		if (!setjmp(back))
			leave();
		work(loops);
	}
}

/*
 * Makes the stack pointer lower in quit() than in work(), so that pstat can detect that quit() was
 * left.
 */
FUNCTION void call_quit(void)
{
	volatile char deeper[64];

	deeper[0] = 0;
	quit();
	sink += deeper[0];
}

static void jump_inside(void)
{
	if (!setjmp(back))
		call_quit();
	work(loops);
}

static void on_signal(int number)
{
	(void)number;
	work(loops);
}

static void send_signal(void)
{
	raise(SIGUSR1);
}

static void fork_in_memory(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

FUNCTION long dive(long levels)
{
	long below = levels > 1 ? dive(levels - 1) : 0;

	sink++;
	return below + 1;
}

static ucontext_t out, coroutines[2];
static char stacks[2][1 << 16];

FUNCTION void turn(int me)
{
	swapcontext(&coroutines[me], &coroutines[!me]);
	sink++;
}

static void take_turns(int me)
{
	for (long i = 0; i < calls; i++) {
		turn(me);
		work(loops);
	}
}

static void run_coroutines(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack.ss_sp = stacks[i];
		coroutines[i].uc_stack.ss_size = sizeof(stacks[i]);
		/*
		 * When the first coroutine ends, the second continues. When the second ends,
		 * run_coroutines() continues.
		 */
		coroutines[i].uc_link = i ? &out : &coroutines[1];
		makecontext(&coroutines[i], (void (*)(void))take_turns, 1, i);
	}
	swapcontext(&out, &coroutines[0]);
}

static void change_cpu(void)
{
	static cpu_set_t all;
	static bool on_second;
	cpu_set_t one;
	int cpu = 0;

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

static char number[24];

static void exec_self(void)
{
	snprintf(number, sizeof(number), "%ld", calls);
	execl("/proc/self/exe", "scope-calls", "-m", number, (char *)NULL);
	_exit(1);
}

static void call_compat(void)
{
#ifdef __x86_64__
	long result;

	asm volatile("int $0x80" : "=a"(result) : "a"(64L) : "r8", "r9", "r10", "r11", "memory");
	sink += (int)result;
#endif
}

static bool call_kernel(const char *what)
{
	if (!strcmp(what, "getppid")) {
		syscall(SYS_getppid);
	} else if (!strcmp(what, "empty")) {
		syscall(400);
	} else if (!strcmp(what, "between")) {
		syscall(SYS_getuid);
		work(loops);
		syscall(SYS_getgid);
	} else if (!strcmp(what, "compat")) {
		call_compat();
	} else if (!strcmp(what, "rename")) {
		prctl(PR_SET_NAME, "renamed");
		work(loops);
	} else {
		return false;
	}
	return true;
}

static void run_overlap(void)
{
	nap();
	end_first();
	end_second();
}

static void move_and_work(void)
{
	around(change_cpu);
	work(loops);
}

static void run(const char *what)
{
	if (!strcmp(what, "calls"))
		call_work(NULL);
	else if (!strcmp(what, "threads"))
		run_threads(20, call_work);
	else if (!strcmp(what, "exit"))
		run_threads((int)calls, call_exit);
	else if (!strcmp(what, "forks"))
		run_forks();
	else if (!strcmp(what, "jump"))
		run_jumps();
	else if (!strcmp(what, "exec"))
		around(exec_self);
	else if (!strcmp(what, "move"))
		change_cpu();
	else if (!strcmp(what, "signal"))
		signal(SIGUSR1, on_signal);
	else if (!strcmp(what, "deep"))
		dive(calls);
	else if (!strcmp(what, "coroutines"))
		run_coroutines();
	for (long i = 0; i < calls && call_kernel(what); i++)
		sink++;
	for (long i = 0; i < calls; i++) {
		if (!strcmp(what, "nested"))
			outer();
		else if (!strcmp(what, "recursive"))
			recurse(5);
		else if (!strcmp(what, "sleep"))
			nap();
		else if (!strcmp(what, "lost"))
			around(jump_inside);
		else if (!strcmp(what, "overlap"))
			run_overlap();
		else if (!strcmp(what, "move"))
			move_and_work();
		else if (!strcmp(what, "signal"))
			around(send_signal);
		else if (!strcmp(what, "vfork"))
			around(fork_in_memory);
	}
}

int main(int argc, char **argv)
{
	bool wait = false;
	char line[16];
	int letter;

	while ((letter = getopt(argc, argv, "m:k:s:w")) > 0) {
		if (letter == 'm')
			calls = atol(optarg);
		else if (letter == 'k')
			loops = (atol(optarg) - FIXED) / 2;
		else if (letter == 's')
			pause_us = atol(optarg);
		else if (letter == 'w')
			wait = true;
		else
			return 2;
	}
	if (wait && !fgets(line, sizeof(line), stdin))
		return 1;
	run(argv[optind] ?: "calls");
	return 0;
}
