/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * With --outliers, the BPF programs of -b (bpf_skel/prog_outliers.bpf.h) send the records below to
 * user space (util/count/prog/prog-outliers.c). A run is one execution of a counted program, the
 * target. An outlier is a run whose count of one event is above a threshold.
 */
#ifndef PSTAT_PROG_OUTLIERS_H
#define PSTAT_PROG_OUTLIERS_H

#define PROG_COMM_SIZE 16

/*
 * A record of one run. In a perf buffer, this struct is followed by a row of words with the counts
 * of the run (struct prog_words in prog_profiler.h), a struct branch_block (only with --branches),
 * and the first bytes of the packet that the target processed (only with --packet).
 */
struct prog_outlier {
	__u64 time;   /* end of the run, ns of CLOCK_MONOTONIC */
	__u64 target; /* identifies the counted program (`target` in prog_outliers.bpf.h) */
	__u32 cpu;    /* id of the CPU */
	/* ids of the process and thread in pstat's pid namespace; 0: they have no ids there */
	__u32 pid, tid;
	__u32 inner;	  /* number of separately counted runs inside this run */
	__u32 packet;	  /* number of packet bytes in this record */
	__u32 packet_len; /* length of the packet in bytes */
	char comm[PROG_COMM_SIZE];
};

/*
 * The state of one CPU (map `outliers`): counters of outliers, and a buffer for a record. All
 * targets of a session share this state. User space receives `passed - suppressed - lost` records.
 * While a record is being sent, this number is one too high.
 */
struct prog_outlier_cpu {
	__u64 passed;	  /* number of runs above the threshold */
	__u64 suppressed; /* number of these runs that the rate limit suppressed */
	/*
	 * number of lost records: user space did not empty the buffer in time, or the kernel
	 * refused the record
	 */
	__u64 lost;
	struct prog_outlier record;
};

/*
 * The kernel's struct for a packet, to which the first argument of a target points. With
 * PROG_PACKET_NONE, the target's records contain no packets.
 */
enum prog_packet {
	PROG_PACKET_NONE,
	PROG_PACKET_XDP, /* struct xdp_buff */
	PROG_PACKET_SKB, /* struct sk_buff */
};

/*
 * How to compute the length of a packet on the running kernel. All members except `xdp_helper` are
 * offsets in the kernel's structs, in bytes.
 */
struct prog_packet_layout {
	__u32 skb_len;
	__u32 xdp_data, xdp_data_end;
	/*
	 * nonzero: bpf_xdp_get_buff_len() exists, and is used instead of xdp_data and xdp_data_end,
	 * because it adds up the lengths of all buffers of a packet
	 */
	__u32 xdp_helper;
};

_Static_assert(sizeof(struct prog_outlier) == 56, "same layout on both sides, no holes");
_Static_assert(sizeof(struct prog_outlier_cpu) == 80, "same layout on both sides, no holes");

#endif
