// SPDX-License-Identifier: GPL-2.0-only
/*
 * threads: starts and ends threads. It reads commands from standard input, one per line, and
 * answers each when it is done:
 *
 *	spin		starts a thread that uses a CPU all the time, and prints its ID
 *	sleep		starts a thread that sleeps, and prints its ID
 *	end		ends the thread that was started last, and prints its ID
 *
 * It ends when standard input ends. With arguments, it does not read commands:
 *
 *	threads NR TURNS
 *	    NR threads spin for TURNS turns each (see spin.h), and end
 *	threads --leave NR TURNS
 *	    the main thread ends before the others
 *	threads --exec COMMAND...
 *	    a second thread executes COMMAND
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tests/workloads/spin.h"

#define MAX_THREADS 64

struct worker {
	pthread_t thread;
	pid_t tid;
	bool spins;
	atomic_bool stop;
	/* pipes: the thread writes to ready[1] after it has set `tid`; closing wake[1] wakes it */
	int ready[2], wake[2];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	char byte;

	w->tid = gettid();
	if (write(w->ready[1], "r", 1) != 1)
		die("threads: write");
	while (w->spins && !atomic_load_explicit(&w->stop, memory_order_relaxed))
		;
	if (!w->spins && read(w->wake[0], &byte, 1) < 0)
		die("threads: read");
	return NULL;
}

static void worker__start(struct worker *w, bool spins)
{
	char byte;

	w->spins = spins;
	atomic_store(&w->stop, false);
	if (pipe(w->ready) || pipe(w->wake))
		die("threads: pipe");
	if (pthread_create(&w->thread, NULL, work, w) || read(w->ready[0], &byte, 1) != 1)
		die("threads: pthread_create");
}

static void worker__end(struct worker *w)
{
	atomic_store(&w->stop, true);
	close(w->wake[1]);
	pthread_join(w->thread, NULL);
	close(w->wake[0]);
	close(w->ready[0]);
	close(w->ready[1]);
}

static void *spin_turns(void *arg)
{
	spin(*(const unsigned long *)arg);
	return NULL;
}

static void spin_in_threads(unsigned long nr, unsigned long arg, bool leave)
{
	static unsigned long turns;
	pthread_t threads[MAX_THREADS];

	turns = arg;

	if (nr > MAX_THREADS) {
		fprintf(stderr, "threads: more than %d\n", MAX_THREADS);
		exit(2);
	}
	for (unsigned long i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, spin_turns, &turns))
			die("threads: pthread_create");
	if (leave)
		pthread_exit(NULL);
	for (unsigned long i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static void *become(void *arg)
{
	char **command = arg;

	execvp(command[0], command);
	die(command[0]);
	return NULL;
}

static void exec_in_thread(char **command)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, become, command))
		die("threads: pthread_create");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static struct worker workers[MAX_THREADS];
	char line[16];
	int nr = 0;

	if (argc > 2 && !strcmp(argv[1], "--exec"))
		exec_in_thread(argv + 2);
	if (argc > 2) {
		spin_in_threads(parse_number("threads", argv[argc - 2]),
				parse_number("threads", argv[argc - 1]),
				!strcmp(argv[1], "--leave"));
		return 0;
	}
	while (fgets(line, sizeof(line), stdin)) {
		bool spins = !strcmp(line, "spin\n");

		if ((spins || !strcmp(line, "sleep\n")) && nr < MAX_THREADS) {
			worker__start(&workers[nr++], spins);
			printf("%d\n", workers[nr - 1].tid);
		} else if (!strcmp(line, "end\n") && nr) {
			worker__end(&workers[--nr]);
			printf("%d\n", workers[nr].tid);
		} else {
			fprintf(stderr, "threads: cannot do this: %s", line);
			return 2;
		}
		fflush(stdout);
	}
	return 0;
}
