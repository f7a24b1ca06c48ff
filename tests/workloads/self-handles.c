// SPDX-License-Identifier: GPL-2.0-only
/*
 * self-handles WHAT EVENT [NUMBER]...: tests the life cycle of the handles of libpstat-self. EVENT
 * is a name, or TYPE:CONFIG in numbers.
 *
 *	fork EVENT TURNS
 *	    prints what a child process reads from its parent's handle and from its own handle,
 *	    and then what the parent reads
 *	user EVENT TURNS
 *	    opens the event as root, and counts as the user nobody
 *	sealed EVENT
 *	    prints the result of a read after a seccomp filter has begun to refuse bpf()
 *	handles EVENT NR TURNS
 *	    NR threads at the same time open, use and close one handle each. Prints the three
 *	    numbers of each thread's count on a line, and then the number of open files
 *	reopen EVENT NR
 *	    prints the number of open files with one handle, with NR more handles, and after all
 *	    handles are closed
 *	signals EVENT NR OTHER
 *	    reads EVENT NR times, while a signal handler reads EVENT and then OTHER every 100 us.
 *	    Prints how many times the handler ran, and how many counts were less than an earlier
 *	    count of the same event
 *	no-keys EVENT
 *	    opens the event when all keys for thread-specific data are in use
 *	hold EVENT
 *	    prints the number of open files and how many of them are perf events, and waits until
 *	    it is killed
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "tests/workloads/self-count.h"

#define NOBODY 65534

static struct pstat_self *self;

/* ---- processes ---- */

static void take_all_keys(void)
{
	pthread_key_t key;

	while (!pthread_key_create(&key, NULL))
		;
}

static int count_in_child(const char *event, unsigned long turns)
{
	struct pstat_self_count count;
	int err = pstat_self_read(self, &count);

	printf("child %d: %s\n", err, pstat_self_error());
	pstat_self_close(self);
	self = open_handle(event, NULL);
	print_count(count_with(self, turns));
	pstat_self_close(self);
	return 0;
}

static void count_around_fork(const char *event, unsigned long turns)
{
	struct pstat_self_count begin, end;
	pid_t child;

	fflush(stdout);
	begin = read_handle(self);
	child = fork();
	if (!child) {
		count_in_child(event, turns);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	spin(turns);
	end = read_handle(self);
	printf("parent %" PRIu64 "\n", end.value - begin.value);
}

static void count_as_nobody(unsigned long turns)
{
	if (setgid(NOBODY) || setuid(NOBODY)) {
		perror("self-handles: setuid");
		exit(1);
	}
	print_count(count_with(self, turns));
}

static void read_sealed(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	struct pstat_self_count count;
	int err;

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("self-handles: seccomp");
		exit(1);
	}
	err = pstat_self_read(self, &count);
	printf("%d: %s\n", err, pstat_self_error());
}

/* Returns the number of open files, and in *@perf_events how many of them are perf events. */
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

	read_handle(self);
	printf("files %d perf events %d\nready\n", files, events);
	fflush(stdout);
	for (;;)
		pause();
}

/* ---- handles ---- */

struct worker {
	pthread_t thread;
	unsigned long turns;
	const char *event;
	struct pstat_self_count count;
};

static void *count_by_own(void *arg)
{
	struct worker *worker = arg;
	struct pstat_self *own = open_handle(worker->event, NULL);

	worker->count = count_with(own, worker->turns);
	pstat_self_close(own);
	return NULL;
}

static void count_by_handles(const char *event, unsigned long nr, unsigned long turns)
{
	static struct worker workers[MAX_THREADS];
	int events;

	check_number(nr, MAX_THREADS, "threads");
	pstat_self_close(self);
	for (unsigned long i = 0; i < nr; i++) {
		workers[i].turns = turns;
		workers[i].event = event;
		start(&workers[i].thread, count_by_own, &workers[i]);
	}
	for (unsigned long i = 0; i < nr; i++) {
		pthread_join(workers[i].thread, NULL);
		print_count(workers[i].count);
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
		handles[i] = open_handle(event, NULL);
	many = count_files(&events);
	for (unsigned long i = 0; i < nr && i < MAX_THREADS; i++)
		pstat_self_close(handles[i]);
	pstat_self_close(self);
	self = NULL;
	printf("files %d %d %d\n", one, many, count_files(&events));
}

/* ---- signals ---- */

static struct pstat_self *other;
static volatile unsigned long signals, backs;
/* the last counts that were read: in the signal handler, and of EVENT outside the handler */
static volatile uint64_t in_handler, other_in_handler, outside;

static void read_in_handler(int number)
{
	uint64_t value = read_handle(self).value, other_value = read_handle(other).value;

	(void)number;
	signals++;
	backs += value < outside || value < in_handler || other_value < other_in_handler;
	in_handler = value;
	other_in_handler = other_value;
}

/*
 * Reads while a signal handler reads, too. If a read returns the larger count of the other event,
 * the next read of the right event returns less, which is detected.
 */
static void read_under_signals(unsigned long nr)
{
	struct sigaction action = { .sa_handler = read_in_handler, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 100 }, { 0, 100 } };

	read_handle(self);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (unsigned long i = 0; i < nr; i++) {
		uint64_t before = in_handler, value = read_handle(self).value;

		if (value < before || value < outside)
			__atomic_fetch_add(&backs, 1, __ATOMIC_RELAXED);
		outside = value;
	}
	timer = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("signals %lu backs %lu\n", signals, backs);
	pstat_self_close(other);
}

int main(int argc, char **argv)
{
	unsigned long numbers[3] = { 0 };
	const char *what, *event, *other_event = NULL;

	if (argc < 3 || argc > 6) {
		fprintf(stderr, "Usage: self-handles WHAT EVENT [NUMBER]...\n");
		return 2;
	}
	what = argv[1];
	event = argv[2];
	if (!strcmp(what, "signals") && argc == 5)
		other_event = argv[--argc];
	for (int i = 3; i < argc; i++)
		numbers[i - 3] = parse_number("self-handles", argv[i]);
	if (!strcmp(what, "no-keys"))
		take_all_keys();
	self = open_handle(event, NULL);
	if (other_event)
		other = open_handle(other_event, NULL);
	if (!strcmp(what, "fork"))
		count_around_fork(event, numbers[0]);
	else if (!strcmp(what, "user"))
		count_as_nobody(numbers[0]);
	else if (!strcmp(what, "sealed"))
		read_sealed();
	else if (!strcmp(what, "handles"))
		count_by_handles(event, numbers[0], numbers[1]);
	else if (!strcmp(what, "reopen"))
		reopen(event, numbers[0]);
	else if (other_event)
		read_under_signals(numbers[0]);
	else if (!strcmp(what, "hold"))
		hold();
	else
		return 2;
	pstat_self_close(self);
	return 0;
}
