// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf-run: loads a BPF program and runs it an exact number of times, through BPF_PROG_TEST_RUN.
 *
 *	bpf-run --prog loop --loops 50 --runs 1000	prints `runs 1000` and `counter 1000`
 *	bpf-run --forever --print-id >id &		runs it all the time, until SIGTERM
 *	bpf-run --hold --print-id >id &			keeps it loaded, until SIGTERM
 *	bpf-run						does what stdin says, line by line: see command__run()
 *	bpf-run --prog count COMMAND...			keeps it loaded while COMMAND runs, with its id as $BPF_ID
 *	bpf-run --id $BPF_ID --runs 1000		runs what another process has loaded
 *
 * So a test may attach to a program before it runs: `bpf-run sh -c 'pstat stat -b $BPF_ID bpf-run --id $BPF_ID --runs 9'`.
 *
 * What the programs do is told in bpf-run.bpf.c. `counter` is the program's own count of its runs, whoever made them; an
 * empty program keeps none.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/workloads/bpf-run.skel.h"

enum mode { MODE_STDIN, MODE_COMMAND, MODE_RUNS, MODE_TIME, MODE_FOREVER, MODE_HOLD };

struct options {
	const char *type, *prog;
	__u64 loops, runs, batch, ms, timer_ns, late_ms;
	__u32 id;	/* of the program to run; 0: load one */
	int cpu;	/* to be on; -1: any */
	char **command; /* NULL-terminated */
	const char *attach;
	enum mode mode;
	bool each, print_id;
};

/* A loaded program: of our own, or (@skel is NULL) one that another process has loaded. */
struct target {
	struct bpf_run_bpf *skel;
	int fd;
	enum bpf_prog_type type;
	bool counts;
	__u64 runs; /* that were made through us */
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

/* ---- a page that comes late ---- */

struct late_page {
	int uffd;
	char *at;
	size_t size;
	__u64 ms;
};

static struct late_page page;

/* An access that finds no page there waits for it, and gets it so much later. */
static void *serve_page(void *arg)
{
	struct uffd_msg msg;

	(void)arg;
	while (read(page.uffd, &msg, sizeof(msg)) == sizeof(msg)) {
		struct uffdio_zeropage zero = { .range = { .start = (__u64)page.at, .len = page.size } };

		usleep(page.ms * 1000);
		if (ioctl(page.uffd, UFFDIO_ZEROPAGE, &zero))
			die("cannot give a page: %s", strerror(errno));
	}
	return NULL;
}

/* The address of a page that whoever reads it has to wait for, @ms milliseconds. */
static __u64 late_page(__u64 ms)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;

	page.ms = ms;
	page.size = (size_t)sysconf(_SC_PAGESIZE);
	page.at = mmap(NULL, page.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page.uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	reg.range = (struct uffdio_range){ .start = (__u64)page.at, .len = page.size };
	if (page.at == MAP_FAILED || page.uffd < 0 || ioctl(page.uffd, UFFDIO_API, &api) ||
	    ioctl(page.uffd, UFFDIO_REGISTER, &reg) || pthread_create(&thread, NULL, serve_page, NULL))
		die("cannot make a page that comes late: %s", strerror(errno));
	return (__u64)page.at;
}

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
		t->skel->bss->address = late_page(opts->late_ms);
	err = bpf_run_bpf__load(t->skel);
	if (err)
		die("cannot load %s: %s", name, strerror(-err));
	t->fd = bpf_program__fd(prog);
	t->type = bpf_program__type(prog);
	t->counts = strcmp(opts->prog, "empty");
}

static void target__open(struct target *t, __u32 id)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	t->fd = bpf_prog_get_fd_by_id(id);
	if (t->fd < 0)
		die("cannot open program %u: %s", id, strerror(errno));
	if (bpf_obj_get_info_by_fd(t->fd, &info, &len))
		die("cannot ask what program %u is: %s", id, strerror(errno));
	t->type = info.type;
}

static __u32 target__id(const struct target *t)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(t->fd, &info, &len))
		die("cannot ask for the program's id: %s", strerror(errno));
	return info.id;
}

/* One system call, which runs the program @repeat times. The mean ns of a run by the kernel's clock, without the call's own. */
static __u32 target__call(struct target *t, __u32 repeat)
{
	char packet[64] = {}, ctx[8] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (page.at)
		madvise(page.at, page.size, MADV_DONTNEED);
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

/* Only an XDP program can be run many times by one call. */
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

/* SIGTERM and SIGINT, blocked from now on: a signal would end a BPF_PROG_TEST_RUN half-way. */
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

/* Returns the exit status of the command, which runs while the program is loaded. */
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
 * One line of stdin, answered with one line on stdout when it is done:
 *	run N		runs N
 *	time N B	runs N ns T...	B calls that run it (XDP) N times each: for each call the mean ns of a run
 *	loops N		loops N		of each run from now on
 *	counter		counter N	the program's own count
 *	quit
 * False when it is quit.
 */
static bool command__run(struct target *t, const struct options *opts, const char *line)
{
	unsigned long long n;
	unsigned int calls;

	if (t->type == BPF_PROG_TYPE_XDP && sscanf(line, "time %llu %u", &n, &calls) == 2 && n <= INT_MAX) {
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

static void usage(FILE *out)
{
	fputs("Usage: bpf-run [--prog empty|count|loop|print|read] [--type xdp|raw_tp|syscall] [--loops N] [--cpu N] "
	      "[--attach "
	      "TP] [--timer NS]\n"
	      "               [--late MS] [--print-id] [--each] [--batch N]\n"
	      "               [--runs N | --for MS | --forever | --hold | COMMAND...]\n"
	      "       bpf-run --id ID [--cpu N] [--attach TP] [--timer NS] [--each] [--batch N]\n"
	      "               [--runs N | --for MS | --forever]\n"
	      "  --prog, --type  which program to load; default: an empty XDP program\n"
	      "  --loops N       turns of each run of `loop`\n"
	      "  --late MS       how long each run of `read` sleeps\n"
	      "  --id ID         run this program, which another process has loaded\n"
	      "  --cpu N         run it on this CPU\n"
	      "  --attach TP     attach it to this raw tracepoint too, so that the kernel runs it as well\n"
	      "  --timer NS      interrupt CPU 0 that often, which fires hrtimer_expire_entry\n"
	      "  --print-id      first print the program's id on a line\n"
	      "  --runs N        run it N times\n"
	      "  --for MS        run it for that long\n"
	      "  --forever       run it until SIGTERM\n"
	      "  --hold          keep it loaded until SIGTERM, without running it\n"
	      "  COMMAND         keep it loaded while COMMAND runs, with the program's id as $BPF_ID\n"
	      "  --each          with a system call for each run; only XDP programs can do otherwise\n"
	      "  --batch N       runs between two looks at the clock; default: 1000\n"
	      "Without any of --runs to COMMAND: commands from stdin: run N, time N B, loops N, counter, quit\n",
	      out);
}

static __u64 parse_number(const char *text, __u64 max)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n > max)
		die("no number from 0 to %llu: %s", (unsigned long long)max, text);
	return n;
}

static struct options parse_options(int argc, char **argv)
{
	static const struct option table[] = {
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
	struct options opts = { .type = "xdp", .prog = "empty", .batch = 1000, .cpu = -1 };
	int opt;

	while ((opt = getopt_long(argc, argv, "+", table, NULL)) >= 0) {
		switch (opt) {
		case 'p':
			opts.prog = optarg;
			break;
		case 't':
			opts.type = optarg;
			break;
		case 'l':
			opts.loops = parse_number(optarg, 1 << 23); /* as many as bpf_loop() takes */
			break;
		case 'L':
			opts.late_ms = parse_number(optarg, 60000);
			break;
		case 'a':
			opts.attach = optarg;
			break;
		case 'T':
			opts.timer_ns = parse_number(optarg, UINT_MAX);
			break;
		case 'i':
			opts.id = parse_number(optarg, UINT_MAX);
			break;
		case 'C':
			opts.cpu = parse_number(optarg, CPU_SETSIZE - 1);
			break;
		case 'I':
			opts.print_id = true;
			break;
		case 'r':
			opts.mode = MODE_RUNS;
			opts.runs = parse_number(optarg, ULLONG_MAX);
			break;
		case 'm':
			opts.mode = MODE_TIME;
			opts.ms = parse_number(optarg, UINT_MAX);
			break;
		case 'f':
			opts.mode = MODE_FOREVER;
			break;
		case 'H':
			opts.mode = MODE_HOLD;
			break;
		case 'e':
			opts.each = true;
			break;
		case 'b':
			opts.batch = parse_number(optarg, INT_MAX);
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind < argc) {
		if (opts.mode != MODE_STDIN) {
			usage(stderr);
			exit(2);
		}
		opts.mode = MODE_COMMAND;
		opts.command = argv + optind;
	}
	return opts;
}

static void move_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot run on CPU %d: %s", cpu, strerror(errno));
}

/* A sampling event, because the kernel slows other timers of user space down. It lasts as long as the process. */
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

int main(int argc, char **argv)
{
	const struct options opts = parse_options(argc, argv);
	struct target target = {};
	char line[128];
	int status = 0;

	if (opts.cpu >= 0)
		move_to_cpu(opts.cpu);
	if (opts.id)
		target__open(&target, opts.id);
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

	switch (opts.mode) {
	case MODE_STDIN:
		while (fgets(line, sizeof(line), stdin) && command__run(&target, &opts, line))
			;
		break;
	case MODE_COMMAND:
		status = target__serve(&target, opts.command);
		break;
	case MODE_RUNS:
		target__run(&target, opts.runs, opts.each);
		break;
	case MODE_TIME:
		target__run_ms(&target, &opts);
		break;
	case MODE_FOREVER:
		target__run_forever(&target, &opts);
		break;
	case MODE_HOLD:
		target__hold();
		break;
	}

	if (opts.mode != MODE_STDIN && opts.mode != MODE_COMMAND) {
		printf("runs %llu\n", (unsigned long long)target.runs);
		if (target.counts)
			printf("counter %llu\n", (unsigned long long)target.skel->bss->counter);
	}
	bpf_run_bpf__destroy(target.skel);
	return status;
}
