/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records that the programs of --outliers (bpf_skel/prog_outliers.bpf.h) send to user space
 * (util/count/prog/prog-outliers.c). An outlier is a run (one execution of a counted program, the
 * target) whose count is above a threshold.
 */
#ifndef PSTAT_PROG_OUTLIERS_H
#define PSTAT_PROG_OUTLIERS_H

#define PROG_COMM_SIZE 16

/*
 * A record of one run. In a perf buffer, this struct is followed by a row of words with the counts
 * of the run (see struct prog_words), a struct branch_block (only with --branches), and the first
 * bytes of the packet (only with --packet).
 */
struct prog_outlier {
	__u64 time;   /* end of the run, ns of CLOCK_MONOTONIC */
	__u64 target; /* identifies the counted program (`target` in prog_outliers.bpf.h) */
	__u32 cpu;    /* id of the CPU */
	/* the ids of the task in pstat's pid namespace; 0: the task has no id in this namespace */
	__u32 pid, tid;
	__u32 inner;	  /* number of separately counted runs inside this run */
	__u32 packet;	  /* number of bytes of the packet in this record */
	__u32 packet_len; /* length of the packet in bytes */
	char comm[PROG_COMM_SIZE];
};

/*
 * The state of one CPU (map `outliers`): the numbers of runs above the threshold, and a buffer for
 * a record. All targets of a session share this state. The number of records that user space
 * receives is `passed - suppressed - lost`. While a record is being sent, this number is one too
 * high.
 */
struct prog_outlier_cpu {
	__u64 passed;
	__u64 suppressed; /* number of runs that the rate limit suppressed */
	/*
	 * number of lost records: user space did not empty the buffer in time, or the kernel
	 * refused the record
	 */
	__u64 lost;
	struct prog_outlier record;
};

/* The type of the packet in the context of a target. */
enum prog_packet {
	PROG_PACKET_NONE,
	PROG_PACKET_XDP, /* struct xdp_buff */
	PROG_PACKET_SKB, /* struct sk_buff */
};

/*
 * Offsets in bytes of members of the running kernel's structs, for computing the length of a
 * packet.
 */
struct prog_packet_layout {
	__u32 skb_len;
	__u32 xdp_data, xdp_data_end;
	/* nonzero: bpf_xdp_get_buff_len() exists; it includes all buffers of a packet */
	__u32 xdp_helper;
};

_Static_assert(sizeof(struct prog_outlier) == 56, "same layout on both sides, no holes");
_Static_assert(sizeof(struct prog_outlier_cpu) == 80, "same layout on both sides, no holes");

#endif
