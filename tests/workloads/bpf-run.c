// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf-run: loads a BPF program and runs it an exact number of times, with BPF_PROG_TEST_RUN.
 *
 *	bpf-run --prog loop --loops 50 --runs 1000
 *	    prints `runs 1000` and `counter 1000`
 *	bpf-run --forever --print-id >id &
 *	    runs the program continuously until SIGTERM
 *	bpf-run --hold --print-id >id &
 *	    keeps the program loaded until SIGTERM
 *	bpf-run
 *	    executes commands from standard input, line by line: see command__run()
 *	bpf-run --prog count COMMAND...
 *	    keeps the program loaded while COMMAND runs, with the program's ID as $BPF_ID
 *	bpf-run --id $BPF_ID --runs 1000
 *	    runs a program that another process has loaded
 *
 * With COMMAND, a test can attach to a program before the program runs: `bpf-run sh -c 'pstat stat
 * -b $BPF_ID bpf-run --id $BPF_ID --runs 9'`.
 *
 * bpf-run.bpf.c describes the programs. `counter` is the program's own count of its runs in all
 * processes. The programs empty and more do not count their runs.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/workloads/bpf-run-options.h"
#include "tests/workloads/bpf-run.skel.h"
#include "tests/workloads/late-page.h"

/* A loaded program. @skel is NULL if another process has loaded it. */
struct target {
	struct bpf_run_bpf *skel;
	int fd;
	enum bpf_prog_type type;
	bool counts;
	__u64 runs; /* runs that this process has made */
};

static void target__load(struct target *t, const struct options *opts)
{
	struct bpf_program *prog = NULL;
	char name[64];
	int err;

	t->skel = bpf_run_bpf__open();
	if (!t->skel)
		die("cannot open the BPF object: %s", strerror(errno));
	snprintf(name, sizeof(name), "%s_%s", opts->type, opts->prog);
	while ((prog = bpf_object__next_program(t->skel->obj, prog)))
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), name));
	prog = bpf_object__find_program_by_name(t->skel->obj, name);
	if (!prog)
		die("there is no program %s", name);

	t->skel->bss->loops = opts->loops;
	if (!strcmp(opts->prog, "read"))
		t->skel->bss->address = late_page__make(opts->late_ms);
	err = bpf_run_bpf__load(t->skel);
	if (err)
		die("cannot load %s: %s", name, strerror(-err));
	t->fd = bpf_program__fd(prog);
	t->type = bpf_program__type(prog);
	t->counts = strcmp(opts->prog, "empty") && strcmp(opts->prog, "more");
}

static void target__open(struct target *t, __u32 id)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	t->fd = bpf_prog_get_fd_by_id(id);
	if (t->fd < 0)
		die("cannot open program %u: %s", id, strerror(errno));
	if (bpf_obj_get_info_by_fd(t->fd, &info, &len))
		die("cannot get the type of program %u: %s", id, strerror(errno));
	t->type = info.type;
}

static __u32 target__id(const struct target *t)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(t->fd, &info, &len))
		die("cannot get the program's ID: %s", strerror(errno));
	return info.id;
}

/*
 * Runs the program @repeat times with one system call. Returns the mean time of a run in ns,
 * measured by the kernel, without the system call.
 */
static __u32 target__call(struct target *t, __u32 repeat)
{
	char packet[64] = {}, ctx[8] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	late_page__drop();
	if (t->type == BPF_PROG_TYPE_XDP) {
		opts.data_in = packet;
		opts.data_size_in = sizeof(packet);
		opts.repeat = repeat;
	} else if (t->type == BPF_PROG_TYPE_RAW_TRACEPOINT) {
		opts.ctx_in = ctx;
		opts.ctx_size_in = sizeof(ctx);
	}
	if (bpf_prog_test_run_opts(t->fd, &opts))
		die("BPF_PROG_TEST_RUN: %s", strerror(errno));
	t->runs += repeat;
	return opts.duration;
}

/* Runs the program @runs times. Only XDP programs can be run many times by one call. */
static void target__run(struct target *t, __u64 runs, bool each)
{
	__u64 most = each || t->type != BPF_PROG_TYPE_XDP ? 1 : INT_MAX;

	while (runs) {
		__u32 repeat = runs < most ? runs : most;

		target__call(t, repeat);
		runs -= repeat;
	}
}

static __u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static void target__run_ms(struct target *t, const struct options *opts)
{
	const __u64 end = now_ms() + opts->ms;

	while (now_ms() < end)
		target__run(t, opts->batch, opts->each);
}

/*
 * Blocks SIGTERM and SIGINT, because a signal would interrupt BPF_PROG_TEST_RUN. Returns the set of
 * the two signals.
 */
static sigset_t end_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signals;
}

static void target__run_forever(struct target *t, const struct options *opts)
{
	const struct timespec now = {};
	const sigset_t signals = end_signals();

	while (sigtimedwait(&signals, NULL, &now) < 0)
		target__run(t, opts->batch, opts->each);
}

static void target__hold(void)
{
	const sigset_t signals = end_signals();

	while (sigwaitinfo(&signals, NULL) < 0)
		;
}

/* Runs the command while the program is loaded. Returns its exit status. */
static int target__serve(const struct target *t, char **command)
{
	char id[16];
	int status;
	pid_t pid;

	snprintf(id, sizeof(id), "%u", target__id(t));
	setenv("BPF_ID", id, 1);
	pid = fork();
	if (pid == 0) {
		execvp(command[0], command);
		fprintf(stderr, "bpf-run: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("%s: %s", command[0], strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * Executes one line of standard input, and answers it with one line. These are the commands and
 * their answers:
 *	run N  runs N
 *	    runs the program N times
 *	time N B  runs N ns T...
 *	    runs an XDP program N times in each of B calls; T is the mean time of a run in one call
 *	loops N  loops N
 *	    sets the number of loop iterations in each later run
 *	counter  counter N
 *	    prints the program's own count
 *	quit
 * Returns false after quit.
 */
static bool command__run(struct target *t, const struct options *opts, const char *line)
{
	unsigned long long n;
	unsigned int calls;

	if (t->type == BPF_PROG_TYPE_XDP && sscanf(line, "time %llu %u", &n, &calls) == 2 &&
	    n <= INT_MAX) {
		printf("runs %llu ns", n);
		while (calls--)
			printf(" %u", target__call(t, n));
		putchar('\n');
	} else if (sscanf(line, "run %llu", &n) == 1) {
		target__run(t, n, opts->each);
		printf("runs %llu\n", n);
	} else if (t->skel && sscanf(line, "loops %llu", &n) == 1) {
		t->skel->bss->loops = n;
		printf("loops %llu\n", n);
	} else if (t->counts && !strcmp(line, "counter\n")) {
		printf("counter %llu\n", (unsigned long long)t->skel->bss->counter);
	} else if (!strcmp(line, "quit\n")) {
		return false;
	} else {
		die("cannot do this: %s", line);
	}
	fflush(stdout);
	return true;
}

static void move_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot run on CPU %d: %s", cpu, strerror(errno));
}

/*
 * Starts a timer on CPU 0 that runs until the process ends. The timer is a sampling event, because
 * the kernel delays other timers of user space.
 */
static void start_timer(__u64 ns)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = ns,
	};

	if (syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC) < 0)
		die("cannot start a timer: %s", strerror(errno));
}

/* Does what the command line requests. Returns the exit status. */
static int target__do(struct target *t, const struct options *opts)
{
	char line[128];

	switch (opts->mode) {
	case MODE_STDIN:
		while (fgets(line, sizeof(line), stdin) && command__run(t, opts, line))
			;
		return 0;
	case MODE_COMMAND:
		return target__serve(t, opts->command);
	case MODE_RUNS:
		target__run(t, opts->runs, opts->each);
		break;
	case MODE_TIME:
		target__run_ms(t, opts);
		break;
	case MODE_FOREVER:
		target__run_forever(t, opts);
		break;
	case MODE_HOLD:
		target__hold();
		break;
	}
	printf("runs %llu\n", (unsigned long long)t->runs);
	if (t->counts)
		printf("counter %llu\n", (unsigned long long)t->skel->bss->counter);
	return 0;
}

int main(int argc, char **argv)
{
	const struct options opts = parse_options(argc, argv);
	struct target target = {};
	int status;

	if (!opts.any_cpu)
		move_to_cpu((int)opts.cpu);
	if (opts.id)
		target__open(&target, (__u32)opts.id);
	else
		target__load(&target, &opts);
	if (opts.timer_ns)
		start_timer(opts.timer_ns);
	if (opts.attach && bpf_raw_tracepoint_open(opts.attach, target.fd) < 0)
		die("cannot attach the program to %s: %s", opts.attach, strerror(errno));
	if (opts.print_id) {
		printf("%u\n", target__id(&target));
		fflush(stdout);
	}
	status = target__do(&target, &opts);
	bpf_run_bpf__destroy(target.skel);
	return status;
}
