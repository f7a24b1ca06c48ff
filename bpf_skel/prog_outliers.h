/* SPDX-License-Identifier: GPL-2.0-only */
/* What --outliers hands from the program profiler's end of a run to user space (bpf_skel/prog_outliers.bpf.h, util/count/prog/prog-outliers.c). */
#ifndef PSTAT_PROG_OUTLIERS_H
#define PSTAT_PROG_OUTLIERS_H

#define PROG_COMM_SIZE 16

/* A run, as it is streamed. Behind it stand its row of words (see struct prog_words), and then the first bytes of its packet. */
struct prog_outlier {
	__u64 time;	  /* ns of CLOCK_MONOTONIC when it had ended */
	__u64 target;	  /* what user space calls the program */
	__u32 cpu;	  /* its id */
	__u32 pid, tid;	  /* of the task that it ran in, in pstat's namespace; 0 when that has no id there */
	__u32 inner;	  /* runs inside of it that were counted by themselves */
	__u32 packet;	  /* bytes of the packet that follow */
	__u32 packet_len; /* bytes that the packet has */
	char comm[PROG_COMM_SIZE];
};

/*
 * Per CPU, the one entry of the map `outliers`, which all targets of a session share: what became of the runs that passed, and room to
 * make a record in. passed - suppressed - lost is what user space gets, but for a run that is being streamed.
 */
struct prog_outlier_cpu {
	__u64 passed;
	__u64 suppressed; /* by the rate limit */
	__u64 lost; /* there was no room in the buffer, as user space did not read in time, or the kernel refused it */
	struct prog_outlier record;
};

/* What kind of packet a target's context is. */
enum prog_packet {
	PROG_PACKET_NONE,
	PROG_PACKET_XDP, /* struct xdp_buff */
	PROG_PACKET_SKB, /* struct sk_buff */
};

/* How this kernel tells how long a packet is: bytes from the start of its structs. */
struct prog_packet_layout {
	__u32 skb_len;
	__u32 xdp_data, xdp_data_end;
	__u32 xdp_helper; /* there is one, which knows of all of a packet's buffers */
};

_Static_assert(sizeof(struct prog_outlier) == 56, "same layout on both sides, no holes");
_Static_assert(sizeof(struct prog_outlier_cpu) == 80, "same layout on both sides, no holes");

#endif
