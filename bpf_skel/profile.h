/* SPDX-License-Identifier: GPL-2.0-only */
/* What the sampling programs and util/count/profile/ both see. */
#ifndef PSTAT_PROFILE_H
#define PSTAT_PROFILE_H

#define PROFILE_MOST_FRAMES \
	8 /* as many as calls of BPF functions in a program can nest (MAX_CALL_FRAMES, linux/bpf_verifier.h) */

/* Key of profile_lines: the addresses in the chosen programs that a sample of one event was taken at or below. */
struct profile_frames {
	__u32 event; /* its place among the events of the session */
	__u16 nr;    /* number of valid ips; the others are 0 */
	/*
	 * 0: the sample was taken at ips[0]; 1: the code at ips[0] called the sampled code, which is in no chosen
	 * program
	 */
	__u16 in_callee;
	/* innermost frame first; for a caller, an address inside the call instruction */
	__u64 ips[PROFILE_MOST_FRAMES];
};

_Static_assert(sizeof(struct profile_frames) == 8 + 8 * PROFILE_MOST_FRAMES, "same layout on both sides, no holes");

/* Of profile_stacks: whose stacks samples of an event had. Ids are those of the maps of stacks, or why there is none. */
struct profile_stack_key {
	__u32 event;
	__u32 pid; /* of the process */
	__s32 kernel, user;
	__u64 ip; /* of the sample, where the stack that it begins is lost; else 0 */
	char comm[16] __attribute__((aligned(8)));
};

_Static_assert(sizeof(struct profile_stack_key) == 40, "same layout on both sides, no holes");

/* In place of a stack's id. */
#define PROFILE_NO_STACK (-1)	/* there is none: the sample is the user's, or a thread's of the kernel */
#define PROFILE_STACK_LOST (-2) /* there is one, and it is not in the map: see struct profile_stack_fate */

/* In a user stack's id: it is in the second map. */
#define PROFILE_SECOND_MAP (1 << 30)

/* What became of stacks of an event's samples, all in all since the start. */
struct profile_stack_fate {
	__u64 collided; /* another stack has its place in the map */
	__u64 no_room;	/* the map is full */
	__u64 failed;	/* the kernel could not walk it */
};

_Static_assert(sizeof(struct profile_stack_fate) == 24, "same layout on both sides, no holes");

/* What a place was met with, all in all since the start. */
struct profile_value {
	__u64 samples;
	__u64 weight; /* the sum of their periods: so much the event counted for them */
};

_Static_assert(sizeof(struct profile_value) == 16, "same layout on both sides, no holes");

/* Code of a chosen program: [start, end). */
struct profile_range {
	__u64 start, end;
};

_Static_assert(sizeof(struct profile_range) == 16, "same layout on both sides, no holes");

/* Samples of an event that are in no map, all in all since the start. With those that are, they are all that were taken. */
struct profile_fate {
	__u64 elsewhere; /* they are neither in the chosen programs nor in what these call */
	__u64 no_room;	 /* the map is full */
	__u64 busy;	 /* the map's lock was held by whom the sample interrupted */
	__u64 weight;	 /* of all of these */
	/* the kernel could not walk the stack, so it is unknown whether the samples belong to the programs */
	__u64 no_stack;
	/* samples for which the event's times could not be read, whether or not they are in the map */
	__u64 no_times;
};

_Static_assert(sizeof(struct profile_fate) == 48, "same layout on both sides, no holes");

/* bpf_perf_prog_read_value() at the last sample of an event on a CPU. */
struct profile_times {
	__u64 enabled, running;
};

_Static_assert(sizeof(struct profile_times) == 16, "same layout on both sides, no holes");

/* The program serves several events, and the link's cookie, event + 1, tells which one. */
#define PROFILE_BY_COOKIE 0xffffffffU

#endif
