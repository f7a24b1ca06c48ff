// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf-slow TYPE EVERY LOOPS: loads the program slow_TYPE of bpf-slow.bpf.c, prints its ID, and
 * executes commands from standard input:
 *
 *	run N
 *	    runs the program N times with one call (raw_tp: with N calls). Prints `runs N slow M`,
 *	    the numbers of all runs and of all slow runs so far
 *	every N
 *	    makes every N-th run slow from now on, or none if N is 0, and prints `every N`
 *	loops N
 *	    makes slow runs execute N iterations of a loop, and prints `loops N`
 *
 * A packet has 96 bytes. Byte I has the value I. In the packets of xdp and tc, the program writes
 * the number of the run to the 8 bytes at offset 14, in the machine's byte order.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/workloads/bpf-slow.skel.h"

#define PACKET_SIZE 96

static void die(const char *what)
{
	fprintf(stderr, "bpf-slow: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct bpf_program *load(struct bpf_slow_bpf *skel, const char *type)
{
	struct bpf_program *prog = NULL, *found = NULL;
	char name[64];

	snprintf(name, sizeof(name), "slow_%s", type);
	while ((prog = bpf_object__next_program(skel->obj, prog))) {
		bool is_it = !strcmp(bpf_program__name(prog), name);

		bpf_program__set_autoload(prog, is_it);
		found = is_it ? prog : found;
	}
	errno = ENOENT;
	if (!found || bpf_slow_bpf__load(skel))
		die(name);
	return found;
}

static void call(const struct bpf_program *prog, unsigned int repeat)
{
	unsigned char packet[PACKET_SIZE];
	__u64 args[1] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	for (int i = 0; i < PACKET_SIZE; i++)
		packet[i] = (unsigned char)i;
	if (bpf_program__type(prog) == BPF_PROG_TYPE_RAW_TRACEPOINT) {
		opts.ctx_in = args;
		opts.ctx_size_in = sizeof(args);
	} else {
		opts.data_in = packet;
		opts.data_size_in = sizeof(packet);
		opts.repeat = (int)repeat;
	}
	if (bpf_prog_test_run_opts(bpf_program__fd(prog), &opts))
		die("BPF_PROG_TEST_RUN");
}

static void run(const struct bpf_program *prog, unsigned int times)
{
	bool one_by_one = bpf_program__type(prog) == BPF_PROG_TYPE_RAW_TRACEPOINT;

	for (unsigned int i = 0; i < (one_by_one ? times : times > 0); i++)
		call(prog, times);
}

int main(int argc, char **argv)
{
	struct bpf_slow_bpf *skel = bpf_slow_bpf__open();
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	struct bpf_program *prog;
	unsigned long long n;
	char line[64];

	if (argc != 4 || !skel)
		return 2;
	skel->bss->every = strtoull(argv[2], NULL, 10);
	skel->bss->loops = strtoull(argv[3], NULL, 10);
	prog = load(skel, argv[1]);
	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		die("the ID of the program");
	printf("%u\n", info.id);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "run %llu", &n) == 1) {
			run(prog, (unsigned int)n);
			printf("runs %llu slow %llu\n", skel->bss->runs, skel->bss->slow);
		} else if (sscanf(line, "every %llu", &n) == 1) {
			skel->bss->every = n;
			printf("every %llu\n", n);
		} else if (sscanf(line, "loops %llu", &n) == 1) {
			skel->bss->loops = n;
			printf("loops %llu\n", n);
		} else {
			return 2;
		}
		fflush(stdout);
	}
	return 0;
}
