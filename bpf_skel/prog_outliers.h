/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records that --outliers sends from the end of a run to user space
 * (bpf_skel/prog_outliers.bpf.h, util/count/prog/prog-outliers.c).
 */
#ifndef PSTAT_PROG_OUTLIERS_H
#define PSTAT_PROG_OUTLIERS_H

#define PROG_COMM_SIZE 16

/*
 * A record of one run. It is followed by a row of words (see struct prog_words), by a struct
 * branch_block with --branches, and by the first bytes of the packet.
 */
struct prog_outlier {
	__u64 time;	  /* end of the run, ns of CLOCK_MONOTONIC */
	__u64 target;	  /* the number of the program in user space */
	__u32 cpu;	  /* id of the CPU */
	__u32 pid, tid;	  /* the ids of the task in pstat's pid namespace; 0: it has no id there */
	__u32 inner;	  /* number of runs inside this run that were counted separately */
	__u32 packet;	  /* number of bytes of the packet in this record */
	__u32 packet_len; /* length of the packet in bytes */
	char comm[PROG_COMM_SIZE];
};

/*
 * On each CPU, the single entry of the map `outliers`, which all targets of a session share: the
 * numbers of runs above the threshold, and a buffer for a record. User space receives `passed -
 * suppressed - lost` records, except while a record is being sent.
 */
struct prog_outlier_cpu {
	__u64 passed;
	__u64 suppressed; /* number of runs that the rate limit suppressed */
	/*
	 * number of runs that were lost, because user space did not empty the buffer in time, or
	 * because the kernel refused the record
	 */
	__u64 lost;
	struct prog_outlier record;
};

/* The type of packet that the context of a target contains. */
enum prog_packet {
	PROG_PACKET_NONE,
	PROG_PACKET_XDP, /* struct xdp_buff */
	PROG_PACKET_SKB, /* struct sk_buff */
};

/* The offsets in bytes of the length of a packet in the structs of this kernel. */
struct prog_packet_layout {
	__u32 skb_len;
	__u32 xdp_data, xdp_data_end;
	/* not 0: bpf_xdp_get_buff_len() can be used; it includes all buffers of a packet */
	__u32 xdp_helper;
};

_Static_assert(sizeof(struct prog_outlier) == 56, "same layout on both sides, no holes");
_Static_assert(sizeof(struct prog_outlier_cpu) == 80, "same layout on both sides, no holes");

#endif
