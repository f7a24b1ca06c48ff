// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf-types NAME: loads the program of_NAME, attaches it if necessary, and prints its ID. The
 * program is in bpf-types.bpf.c, or for freplace, traced, struct_ops and throw in other files. Each
 * line of standard input is a number N. For each line, bpf-types runs the program N times and
 * prints `runs N`. It exits at the end of standard input. Exit status 3: the kernel refused the
 * program.
 *
 * A program is run as follows:
 *
 *	socket, tc, cgroup_skb, raw_tp, syscall, throw, freplace, traced
 *	    with BPF_PROG_TEST_RUN
 *	cgroup_sock
 *	    by making a socket in a cgroup
 *	kprobe, tracepoint, lsm
 *	    by calling getpgid(2)
 *	perf_event
 *	    by writing to a variable that has a breakpoint
 *	iter
 *	    by reading the iterator, which runs the program once for each task, and once more
 *	fentry
 *	    with BPF_PROG_TEST_RUN, which calls the kernel's own test functions
 *	struct_ops
 *	    by making a TCP connection
 *	switch, tp_btf
 *	    at each context switch, regardless of the input
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/workloads/bpf-freplace.skel.h"
#include "tests/workloads/bpf-struct-ops.skel.h"
#include "tests/workloads/bpf-throw.skel.h"
#include "tests/workloads/bpf-types.skel.h"

#define CGROUP "/sys/fs/cgroup/bpf-types"

static int prog_fd, run_fd; /* running run_fd makes prog_fd run */
static struct bpf_link *attached;
static volatile int watched;

static void refuse(const char *what, int err)
{
	fprintf(stderr, "bpf-types: %s: %s\n", what, strerror(err));
	exit(3);
}

/*
 * Returns whether the program is attached to a function of another program. of_freplace replaces a
 * function of of_replaced, and of_traced runs before of_replaced.
 */
static bool is_onto(const char *name)
{
	return !strcmp(name, "freplace") || !strcmp(name, "traced");
}

static void load_onto(const char *name, struct bpf_types_bpf *types)
{
	struct bpf_freplace_bpf *skel = bpf_freplace_bpf__open();
	bool replaces = !strcmp(name, "freplace");
	struct bpf_program *prog = replaces ? skel->progs.of_freplace : skel->progs.of_traced;
	int err;

	run_fd = bpf_program__fd(types->progs.of_replaced);
	bpf_program__set_autoload(skel->progs.of_freplace, replaces);
	bpf_program__set_autoload(skel->progs.of_traced, !replaces);
	bpf_program__set_attach_target(prog, run_fd, replaces ? "replaced" : "of_replaced");
	err = bpf_freplace_bpf__load(skel);
	if (err)
		refuse(name, -err);
	prog_fd = bpf_program__fd(prog);
	attached = replaces ? bpf_program__attach_freplace(prog, 0, NULL) :
			      bpf_program__attach(prog);
	if (!attached)
		refuse("attach", errno);
}

static int breakpoint(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (unsigned long)&watched,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.sample_period = 1,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		refuse("a breakpoint", errno);
	return fd;
}

static void join_cgroup(void)
{
	int fd;

	mkdir(CGROUP, 0755);
	fd = open(CGROUP "/cgroup.procs", O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		refuse(CGROUP, errno);
	close(fd);
}

static void attach(const char *name, struct bpf_program *prog)
{
	if (!strcmp(name, "cgroup_sock")) {
		join_cgroup();
		attached = bpf_program__attach_cgroup(prog, open(CGROUP, O_RDONLY));
	} else if (!strcmp(name, "kprobe")) {
		attached = bpf_program__attach_ksyscall(prog, "getpgid", NULL);
	} else if (!strcmp(name, "perf_event")) {
		attached = bpf_program__attach_perf_event(prog, breakpoint());
	} else if (!strcmp(name, "tracepoint") || !strcmp(name, "lsm") || !strcmp(name, "fentry") ||
		   !strcmp(name, "iter") || !strcmp(name, "switch") || !strcmp(name, "tp_btf")) {
		attached = bpf_program__attach(prog);
	} else {
		return;
	}
	if (!attached)
		refuse("attach", errno);
}

static void load_struct_ops(void)
{
	struct bpf_struct_ops_bpf *skel = bpf_struct_ops_bpf__open_and_load();

	if (!skel)
		refuse("struct_ops", errno);
	prog_fd = bpf_program__fd(skel->progs.of_struct_ops);
	attached = bpf_map__attach_struct_ops(skel->maps.congestion);
	if (!attached)
		refuse("attach", errno);
}

static void load_throw(void)
{
	struct bpf_throw_bpf *skel = bpf_throw_bpf__open_and_load();

	if (!skel)
		refuse("throw", errno);
	prog_fd = run_fd = bpf_program__fd(skel->progs.of_throw);
}

/* Makes a TCP connection to this process. */
static void connect_once(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(to);

	if (bind(server, (struct sockaddr *)&to, len) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&to, &len) ||
	    setsockopt(client, IPPROTO_TCP, TCP_CONGESTION, "bpf_types", strlen("bpf_types")) ||
	    connect(client, (struct sockaddr *)&to, len))
		refuse("a connection", errno);
	close(client);
	close(server);
}

static void load(const char *name)
{
	struct bpf_types_bpf *skel = bpf_types_bpf__open();
	const char *wanted = is_onto(name) ? "replaced" : name;
	struct bpf_program *prog = NULL, *found = NULL;
	int err;

	if (!strcmp(name, "struct_ops")) {
		load_struct_ops();
		return;
	}
	if (!strcmp(name, "throw")) {
		load_throw();
		return;
	}
	while ((prog = bpf_object__next_program(skel->obj, prog))) {
		bool is_it = !strcmp(bpf_program__name(prog) + strlen("of_"), wanted);

		bpf_program__set_autoload(prog, is_it);
		found = is_it ? prog : found;
	}
	if (!found)
		refuse(name, ENOENT);
	err = bpf_types_bpf__load(skel);
	if (err)
		refuse(name, -err);
	prog_fd = run_fd = bpf_program__fd(found);
	attach(name, found);
	if (is_onto(name))
		load_onto(name, skel);
}

static void test_run(const char *name)
{
	char packet[64] = {}, ctx[8] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (!strcmp(name, "raw_tp")) {
		opts.ctx_in = ctx;
		opts.ctx_size_in = sizeof(ctx);
	} else if (strcmp(name, "syscall") && strcmp(name, "fentry")) {
		opts.data_in = packet;
		opts.data_size_in = sizeof(packet);
		opts.repeat = 1;
	}
	if (bpf_prog_test_run_opts(run_fd, &opts))
		refuse("BPF_PROG_TEST_RUN", errno);
}

static void read_iter(void)
{
	int fd = bpf_iter_create(bpf_link__fd(attached));
	char buf[64];

	if (fd < 0)
		refuse("the iterator", errno);
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

static void run(const char *name)
{
	if (!strcmp(name, "cgroup_sock"))
		close(socket(AF_INET, SOCK_DGRAM, 0));
	else if (!strcmp(name, "kprobe") || !strcmp(name, "tracepoint") || !strcmp(name, "lsm"))
		getpgid(1);
	else if (!strcmp(name, "perf_event"))
		watched++;
	else if (!strcmp(name, "iter"))
		read_iter();
	else if (!strcmp(name, "struct_ops"))
		connect_once();
	else if (strcmp(name, "switch") && strcmp(name, "tp_btf"))
		test_run(name);
}

int main(int argc, char **argv)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	char line[64];

	if (argc != 2)
		return 2;
	load(argv[1]);
	if (bpf_obj_get_info_by_fd(prog_fd, &info, &len))
		refuse("its id", errno);
	printf("%u\n", info.id);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (int i = atoi(line); i; i--)
			run(argv[1]);
		printf("runs %d\n", atoi(line));
		fflush(stdout);
	}
	return 0;
}
