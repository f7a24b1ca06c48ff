// SPDX-License-Identifier: GPL-2.0-only
/*
 * self-count WHAT EVENT [NUMBER]...: threads that count themselves with libpstat-self, for tests.
 * EVENT is a name, or TYPE:CONFIG in numbers.
 *
 *	threads EVENT NR TURNS ROUNDS
 *	    NR threads at the same time spin for TURNS turns (see spin.h), ROUNDS times each. Prints
 *	    a line `VALUE ENABLED RUNNING` for each round of each thread. Two more threads spin
 *	    but do not count themselves
 *	churn EVENT NR TURNS
 *	    NR threads, 16 at a time, start, count TURNS turns and end. Prints how many of them
 *	    counted less than 2 * TURNS, or more than 2 * TURNS + 500
 *	migrate EVENT NR TURNS
 *	    NR threads spin for TURNS turns, and move to another CPU 50 times. Prints a line
 *	    `VALUE CPU-TIME BACK` for each thread: CPU-TIME is the thread's CPU time in ns, and
 *	    BACK is the number of counts that were less than the previous count
 *	cost EVENT NR
 *	    prints the smallest and the mean difference between two consecutive reads, from NR
 *	    pairs of reads
 *
 *	--map PATH
 *	    before WHAT: the map of shared counters
 *	--native
 *	    with `threads` and `migrate`: begins each line with the count of a perf event of the
 *	    thread; with `cost`: also prints the smallest difference for a perf event
 */
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/workloads/self-count.h"

#define MAX_ROUNDS 16
#define AT_ONCE 16

static struct pstat_self *self;
static bool native;
static struct perf_event_attr native_attr;

static struct pstat_self_count read_count(void)
{
	return read_handle(self);
}

static struct pstat_self_count count_spinning(unsigned long turns)
{
	return count_with(self, turns);
}

/* ---- the kernel's own count, for comparison ---- */

static void name_native(const char *event)
{
	static const struct {
		const char *name;
		__u32 type;
		__u64 config;
	} events[] = {
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
		{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	};
	size_t len = strcspn(event, ":");

	native_attr.size = sizeof(native_attr);
	native_attr.exclude_kernel = !strcmp(event + len, ":u");
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strlen(events[i].name) != len || strncmp(events[i].name, event, len) != 0)
			continue;
		native_attr.type = events[i].type;
		native_attr.config = events[i].config;
		return;
	}
	fprintf(stderr, "self-count: --native does not know %s\n", event);
	exit(2);
}

static int open_native(void)
{
	long fd = syscall(SYS_perf_event_open, &native_attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		perror("self-count: perf_event_open");
		exit(1);
	}
	return (int)fd;
}

static uint64_t read_native(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) != sizeof(count)) {
		perror("self-count: read");
		exit(1);
	}
	return count;
}

/* ---- threads ---- */

struct worker {
	pthread_t thread;
	unsigned long turns, rounds;
	struct pstat_self_count counts[MAX_ROUNDS];
	uint64_t natives[MAX_ROUNDS];
	uint64_t cpu_time;
	int back;
};

static void *count_rounds(void *arg)
{
	struct worker *worker = arg;
	int fd = native ? open_native() : -1;

	for (unsigned long i = 0; i < worker->rounds; i++) {
		uint64_t begin = native ? read_native(fd) : 0;

		worker->counts[i] = count_spinning(worker->turns);
		worker->natives[i] = native ? read_native(fd) - begin : 0;
	}
	if (native)
		close(fd);
	return NULL;
}

static void *only_spin(void *arg)
{
	const struct worker *worker = arg;

	spin(worker->turns * worker->rounds);
	return NULL;
}

static void print_both(const struct worker *worker, unsigned long round)
{
	if (native)
		printf("%" PRIu64 " ", worker->natives[round]);
	print_count(worker->counts[round]);
}

static void count_threads(unsigned long nr, unsigned long turns, unsigned long rounds)
{
	static struct worker workers[MAX_THREADS];
	pthread_t others[2];

	check_number(nr, MAX_THREADS, "threads");
	check_number(rounds, MAX_ROUNDS, "rounds");
	for (unsigned long i = 0; i < nr; i++) {
		workers[i].turns = turns;
		workers[i].rounds = rounds;
		start(&workers[i].thread, count_rounds, &workers[i]);
	}
	for (int i = 0; i < 2; i++)
		start(&others[i], only_spin, &workers[0]);
	for (unsigned long i = 0; i < nr; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	for (unsigned long i = 0; i < nr; i++)
		for (unsigned long round = 0; round < rounds; round++)
			print_both(&workers[i], round);
}

static void churn(unsigned long nr, unsigned long turns)
{
	static struct worker workers[AT_ONCE];
	unsigned long wrong = 0, done = 0;

	while (done < nr) {
		for (int i = 0; i < AT_ONCE; i++) {
			workers[i].turns = turns;
			workers[i].rounds = 1;
			start(&workers[i].thread, count_rounds, &workers[i]);
		}
		for (int i = 0; i < AT_ONCE; i++, done++) {
			uint64_t value;

			pthread_join(workers[i].thread, NULL);
			value = workers[i].counts[0].value;
			wrong += value < 2 * turns || value > 2 * turns + 500;
		}
	}
	printf("threads %lu wrong %lu\n", done, wrong);
}

/* ---- from CPU to CPU ---- */

static void go_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("self-count: sched_setaffinity");
		exit(1);
	}
}

static uint64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *count_migrating(void *arg)
{
	struct worker *worker = arg;
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int fd = native ? open_native() : -1;
	uint64_t native_begin = native ? read_native(fd) : 0, begin = cpu_time();
	struct pstat_self_count first = read_count(), last = first;

	for (int i = 0; i < 50; i++) {
		struct pstat_self_count now;

		go_to(i % cpus);
		spin(worker->turns / 50);
		now = read_count();
		worker->back += now.value < last.value || now.enabled < last.enabled;
		last = now;
	}
	worker->counts[0].value = last.value - first.value;
	worker->cpu_time = cpu_time() - begin;
	worker->natives[0] = native ? read_native(fd) - native_begin : 0;
	if (native)
		close(fd);
	return NULL;
}

static void migrate(unsigned long nr, unsigned long turns)
{
	static struct worker workers[MAX_THREADS];

	check_number(nr, MAX_THREADS, "threads");
	for (unsigned long i = 0; i < nr; i++) {
		workers[i].turns = turns;
		start(&workers[i].thread, count_migrating, &workers[i]);
	}
	for (unsigned long i = 0; i < nr; i++) {
		pthread_join(workers[i].thread, NULL);
		if (native)
			printf("%" PRIu64 " ", workers[i].natives[0]);
		printf("%" PRIu64 " %" PRIu64 " %d\n", workers[i].counts[0].value,
		       workers[i].cpu_time, workers[i].back);
	}
}

/* ---- what a read costs ---- */

static void tell_native_cost(unsigned long nr)
{
	uint64_t least = UINT64_MAX, last;
	int fd = open_native();

	last = read_native(fd);
	for (unsigned long i = 0; i < nr; i++) {
		uint64_t now = read_native(fd);

		least = now - last < least ? now - last : least;
		last = now;
	}
	close(fd);
	printf("native %" PRIu64 "\n", least);
}

static void tell_cost(unsigned long nr)
{
	uint64_t least = UINT64_MAX, sum = 0;

	read_count();
	for (unsigned long i = 0; i < nr; i++) {
		uint64_t cost = count_spinning(0).value;

		least = cost < least ? cost : least;
		sum += cost;
	}
	printf("least %" PRIu64 " mean %" PRIu64 "\n", least, sum / nr);
	if (native)
		tell_native_cost(nr);
}

int main(int argc, char **argv)
{
	unsigned long numbers[3] = { 0 };
	const char *what, *event, *map = NULL;

	for (; argc > 2 && argv[1][0] == '-'; argc--, argv++) {
		if (!strcmp(argv[1], "--native")) {
			native = true;
		} else {
			map = argv[2];
			argc--;
			argv++;
		}
	}
	if (argc < 3 || argc > 6) {
		fprintf(stderr,
			"Usage: self-count [--map PATH] [--native] WHAT EVENT [NUMBER]...\n");
		return 2;
	}
	what = argv[1];
	event = argv[2];
	for (int i = 3; i < argc; i++)
		numbers[i - 3] = parse_number("self-count", argv[i]);
	if (native)
		name_native(event);
	self = open_handle(event, map);
	if (!strcmp(what, "threads"))
		count_threads(numbers[0], numbers[1], numbers[2]);
	else if (!strcmp(what, "churn"))
		churn(numbers[0], numbers[1]);
	else if (!strcmp(what, "migrate"))
		migrate(numbers[0], numbers[1]);
	else if (!strcmp(what, "cost"))
		tell_cost(numbers[0]);
	else
		return 2;
	pstat_self_close(self);
	return 0;
}
