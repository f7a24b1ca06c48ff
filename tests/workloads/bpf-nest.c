// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf-nest: makes nested runs of a BPF program. The program is attached to the output of the
 * loopback interface (TCX; Linux 6.6 and later). A run sends a copy of the packet to this
 * interface, which runs the program again.
 *
 * bpf-nest prints the program's ID, and then executes commands from standard input. These are the
 * commands and their answers:
 *
 *	depth N  depth N
 *	    from now on, N runs are nested in the run for each packet
 *	send N  counter N
 *	    sends N packets, one after the other, and prints how many times the program has run
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/workloads/bpf-nest.skel.h"

/* BPF_TCX_EGRESS of enum bpf_attach_type, which older headers lack. */
#define BPF_TCX_EGRESS_47 47
#define LOOPBACK 1
#define MARK 0x100

static void die(const char *what)
{
	fprintf(stderr, "bpf-nest: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_socket(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo))
		die("the loopback interface");
	return fd;
}

static void set_mark(int fd, unsigned int mark)
{
	if (setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)))
		die("SO_MARK");
}

static struct bpf_nest_bpf *load(void)
{
	struct bpf_nest_bpf *skel = bpf_nest_bpf__open();
	int fd;

	if (!skel)
		die("open");
	bpf_program__set_expected_attach_type(skel->progs.nest,
					      (enum bpf_attach_type)BPF_TCX_EGRESS_47);
	if (bpf_nest_bpf__load(skel))
		die("load");
	fd = bpf_link_create(bpf_program__fd(skel->progs.nest), LOOPBACK,
			     (enum bpf_attach_type)BPF_TCX_EGRESS_47, NULL);
	if (fd < 0)
		die("attach to the loopback interface (TCX)");
	return skel;
}

static void send_packets(int fd, unsigned long nr)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(9),
				  .sin_addr.s_addr = htonl(0x7f000001) };

	while (nr--)
		/* nobody receives the packets, so sendto() can report that one was refused */
		if (sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) < 0 &&
		    errno != ECONNREFUSED)
			die("send");
}

int main(void)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = open_socket();
	struct bpf_nest_bpf *skel = load();
	char line[64];
	unsigned long nr;

	set_mark(fd, MARK);
	if (bpf_obj_get_info_by_fd(bpf_program__fd(skel->progs.nest), &info, &len))
		die("the ID of the program");
	printf("%u\n", info.id);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "depth %lu", &nr) == 1) {
			skel->bss->depth = (__u32)nr;
			printf("depth %lu\n", nr);
		} else if (sscanf(line, "send %lu", &nr) == 1) {
			send_packets(fd, nr);
			printf("counter %llu\n", (unsigned long long)skel->bss->counter);
		}
		fflush(stdout);
	}
	bpf_nest_bpf__destroy(skel);
	return 0;
}
