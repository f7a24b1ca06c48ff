// SPDX-License-Identifier: GPL-2.0-only
/*
 * self-count WHAT EVENT [NUMBER]...: threads that count themselves by libpstat-self, for tests. EVENT is a name, or TYPE:CONFIG in numbers.
 *
 *	threads EVENT NR TURNS ROUNDS	NR threads at once count ROUNDS times what spinning that often is (see spin.h), beside two that
 *					do not count themselves: a line `VALUE ENABLED RUNNING` each
 *	churn EVENT NR TURNS		NR threads, 16 at a time, begin, count and end: how many counted less than the spinning is, or
 *					500 more
 *	migrate EVENT NR TURNS		NR threads spin in 50 parts, each on another CPU: a line `VALUE CPU-TIME BACK` each, the second in
 *					ns by the thread's clock, the last how often a count was less than the one before
 *	cost EVENT NR			the least and the mean difference of NR pairs of reads with nothing between
 *	fork EVENT TURNS		what a child gets of its parent's counter, and by one of its own; then what the parent gets
 *	user EVENT TURNS		counts as nobody, having opened as root
 *	handles EVENT NR TURNS		NR threads open, count and close each a handle of its own, at once: a line of three numbers each; then
 *					how many files are open
 *	reopen EVENT NR			how many files are open with no, one and NR handles, and when all are closed
 *	signals EVENT NR		NR reads, while a signal handler reads every 100 us: how many of these, and how often any count was
 *					less than the one before
 *	hold EVENT			prints how many files are open and how many of them are perf events, and waits to be killed
 *
 *	--map PATH			before WHAT: where shared counters are found
 *	--native			with `threads`, `migrate` and `cost`: before each count that of a perf event of the thread's own
 */
#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "include/pstat-self.h"
#include "tests/workloads/spin.h"

#define MAX_THREADS 64
#define AT_ONCE 16
#define NOBODY 65534

static struct pstat_self *self;
static const char *map;
static bool native;
static struct perf_event_attr native_attr;

static void die(const char *what)
{
	fprintf(stderr, "self-count: %s: %s\n", what, pstat_self_error());
	exit(1);
}

static struct pstat_self *open_handle(const char *text)
{
	struct pstat_self_config config = { .size = sizeof(config), .map = map };
	struct perf_event_attr attr = { .size = sizeof(attr), .exclude_guest = 1 };
	struct pstat_self *handle;
	unsigned long long number;
	int err;

	if (sscanf(text, "%u:%llu", &attr.type, &number) == 2) {
		attr.config = number;
		config.attr = &attr;
	} else {
		config.event = text;
	}
	err = pstat_self_open(&config, &handle);
	if (err) {
		printf("error %d\n%s\n", err, pstat_self_error());
		exit(1);
	}
	return handle;
}

static struct pstat_self_count read_handle(struct pstat_self *handle)
{
	struct pstat_self_count count;

	if (pstat_self_read(handle, &count))
		die("read");
	return count;
}

static struct pstat_self_count read_count(void)
{
	return read_handle(self);
}

static struct pstat_self_count count_with(struct pstat_self *handle, unsigned long turns)
{
	struct pstat_self_count begin = read_handle(handle), end;

	spin(turns);
	end = read_handle(handle);
	return (struct pstat_self_count){ end.value - begin.value, end.enabled - begin.enabled,
					  end.running - begin.running };
}

static struct pstat_self_count count_spinning(unsigned long turns)
{
	return count_with(self, turns);
}

static void print_count(struct pstat_self_count count)
{
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", count.value, count.enabled, count.running);
}

/* ---- beside it, the kernel's own count ---- */

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
	struct pstat_self_count counts[16];
	uint64_t natives[16];
	uint64_t cpu_time;
	const char *event;
	int back;
};

static void start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	if (pthread_create(thread, NULL, run, arg)) {
		perror("self-count: pthread_create");
		exit(1);
	}
}

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

	if (nr > MAX_THREADS || rounds > 16) {
		fprintf(stderr, "self-count: at most %d threads, 16 rounds\n", MAX_THREADS);
		exit(2);
	}
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

	if (nr > MAX_THREADS) {
		fprintf(stderr, "self-count: at most %d threads\n", MAX_THREADS);
		exit(2);
	}
	for (unsigned long i = 0; i < nr; i++) {
		workers[i].turns = turns;
		start(&workers[i].thread, count_migrating, &workers[i]);
	}
	for (unsigned long i = 0; i < nr; i++) {
		pthread_join(workers[i].thread, NULL);
		if (native)
			printf("%" PRIu64 " ", workers[i].natives[0]);
		printf("%" PRIu64 " %" PRIu64 " %d\n", workers[i].counts[0].value, workers[i].cpu_time,
		       workers[i].back);
	}
}

/* ---- the rest ---- */

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

static int count_in_child(const char *event, unsigned long turns)
{
	struct pstat_self_count count;
	int err = pstat_self_read(self, &count);

	printf("child %d: %s\n", err, pstat_self_error());
	pstat_self_close(self);
	self = open_handle(event);
	print_count(count_spinning(turns));
	pstat_self_close(self);
	return 0;
}

static void count_around_fork(const char *event, unsigned long turns)
{
	struct pstat_self_count begin, end;
	pid_t child;

	fflush(stdout);
	begin = read_count();
	child = fork();
	if (!child) {
		count_in_child(event, turns);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	spin(turns);
	end = read_count();
	printf("parent %" PRIu64 "\n", end.value - begin.value);
}

static void count_as_nobody(unsigned long turns)
{
	if (setgid(NOBODY) || setuid(NOBODY)) {
		perror("self-count: setuid");
		exit(1);
	}
	print_count(count_spinning(turns));
}

/* How many files are open, and in *@perf_events how many of them are such. */
static int count_files(int *perf_events)
{
	DIR *dir = opendir("/proc/self/fd");
	int files = 0, events = 0;
	struct dirent *entry;
	char target[256];

	while (dir && (entry = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		if (len < 0 || atoi(entry->d_name) == dirfd(dir))
			continue;
		target[len] = '\0';
		files++;
		events += strstr(target, "perf_event") != NULL;
	}
	closedir(dir);
	*perf_events = events;
	return files;
}

static void hold(void)
{
	int events, files = count_files(&events);

	read_count();
	printf("files %d perf events %d\nready\n", files, events);
	fflush(stdout);
	for (;;)
		pause();
}

/* ---- handles ---- */

static void *count_by_own(void *arg)
{
	struct worker *worker = arg;
	struct pstat_self *own = open_handle(worker->event);

	worker->counts[0] = count_with(own, worker->turns);
	pstat_self_close(own);
	return NULL;
}

static void count_by_handles(const char *event, unsigned long nr, unsigned long turns)
{
	static struct worker workers[MAX_THREADS];
	int events;

	if (nr > MAX_THREADS) {
		fprintf(stderr, "self-count: at most %d threads\n", MAX_THREADS);
		exit(2);
	}
	pstat_self_close(self);
	for (unsigned long i = 0; i < nr; i++) {
		workers[i].turns = turns;
		workers[i].event = event;
		start(&workers[i].thread, count_by_own, &workers[i]);
	}
	for (unsigned long i = 0; i < nr; i++) {
		pthread_join(workers[i].thread, NULL);
		print_count(workers[i].counts[0]);
	}
	printf("files %d\n", count_files(&events));
	self = NULL;
}

static void reopen(const char *event, unsigned long nr)
{
	struct pstat_self *handles[MAX_THREADS];
	int one, many, events;

	one = count_files(&events);
	for (unsigned long i = 0; i < nr && i < MAX_THREADS; i++)
		handles[i] = open_handle(event);
	many = count_files(&events);
	for (unsigned long i = 0; i < nr && i < MAX_THREADS; i++)
		pstat_self_close(handles[i]);
	pstat_self_close(self);
	self = NULL;
	printf("files %d %d %d\n", one, many, count_files(&events));
}

/* ---- signals ---- */

static volatile unsigned long signals, backs;
/* the last count that the handler got, and that it came after */
static volatile uint64_t in_handler, outside;

static void read_in_handler(int number)
{
	uint64_t value = read_count().value;

	(void)number;
	signals++;
	backs += value < outside || value < in_handler;
	in_handler = value;
}

/* A read into which the handler comes may give what the handler got, which is later. */
static void read_under_signals(unsigned long nr)
{
	struct sigaction action = { .sa_handler = read_in_handler, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 100 }, { 0, 100 } };

	read_count();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (unsigned long i = 0; i < nr; i++) {
		uint64_t before = in_handler, value = read_count().value;

		if (value < before || value < outside)
			__atomic_fetch_add(&backs, 1, __ATOMIC_RELAXED);
		outside = value;
	}
	timer = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("signals %lu backs %lu\n", signals, backs);
}

int main(int argc, char **argv)
{
	unsigned long numbers[3] = { 0 };
	const char *what, *event;

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
		fprintf(stderr, "Usage: self-count [--map PATH] [--native] WHAT EVENT [NUMBER]...\n");
		return 2;
	}
	what = argv[1];
	event = argv[2];
	for (int i = 3; i < argc; i++)
		numbers[i - 3] = parse_number("self-count", argv[i]);
	if (native)
		name_native(event);
	self = open_handle(event);
	if (!strcmp(what, "threads"))
		count_threads(numbers[0], numbers[1], numbers[2]);
	else if (!strcmp(what, "churn"))
		churn(numbers[0], numbers[1]);
	else if (!strcmp(what, "migrate"))
		migrate(numbers[0], numbers[1]);
	else if (!strcmp(what, "cost"))
		tell_cost(numbers[0]);
	else if (!strcmp(what, "fork"))
		count_around_fork(event, numbers[0]);
	else if (!strcmp(what, "user"))
		count_as_nobody(numbers[0]);
	else if (!strcmp(what, "handles"))
		count_by_handles(event, numbers[0], numbers[1]);
	else if (!strcmp(what, "reopen"))
		reopen(event, numbers[0]);
	else if (!strcmp(what, "signals"))
		read_under_signals(numbers[0]);
	else if (!strcmp(what, "hold"))
		hold();
	pstat_self_close(self);
	return 0;
}
