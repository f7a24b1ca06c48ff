/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions shared by util/count/profile/ and the sampling programs. */
#ifndef PSTAT_PROFILE_H
#define PSTAT_PROFILE_H

/*
 * The maximum depth of nested calls of BPF functions in a program (MAX_CALL_FRAMES,
 * linux/bpf_verifier.h).
 */
#define PROFILE_MOST_FRAMES 8

/* Key of profile_lines: an event, and the frames of a sample that are in the chosen programs. */
struct profile_frames {
	__u32 event; /* index of the event in the session */
	__u16 nr;    /* number of addresses in `ips`; the others are 0 */
	/*
	 * 0: the sample was taken at ips[0]; 1: the code at ips[0] called the sampled code, which
	 * is not in a chosen program
	 */
	__u16 in_callee;
	/* the innermost frame first; for a caller, an address inside the call instruction */
	__u64 ips[PROFILE_MOST_FRAMES];
};

_Static_assert(sizeof(struct profile_frames) == 8 + 8 * PROFILE_MOST_FRAMES,
	       "same layout on both sides, no holes");

/*
 * Key of profile_stacks: an event, a process and its two stacks. `kernel` and `user` are ids in the
 * maps of stacks, or PROFILE_NO_STACK or PROFILE_STACK_LOST.
 */
struct profile_stack_key {
	__u32 event;
	__u32 pid; /* id of the process */
	__s32 kernel, user;
	/* the address of the sample if the stack that begins there was lost; otherwise 0 */
	__u64 ip;
	char comm[16] __attribute__((aligned(8)));
};

_Static_assert(sizeof(struct profile_stack_key) == 40, "same layout on both sides, no holes");

/* Values that replace the id of a stack. */
/* no such stack: a kernel stack of a sample in user space, or a user stack of a kernel thread */
#define PROFILE_NO_STACK (-1)
/* the stack exists but is not in the map; see struct profile_stack_fate */
#define PROFILE_STACK_LOST (-2)

/* Set in the id of a user stack if the stack is in the second map. */
#define PROFILE_SECOND_MAP (1 << 30)

/* The number of stacks of an event that were lost since the start, for each reason. */
struct profile_stack_fate {
	__u64 collided; /* another stack occupies the place in the map */
	__u64 no_room;	/* the map is full */
	__u64 failed;	/* the kernel could not walk the stack */
};

_Static_assert(sizeof(struct profile_stack_fate) == 24, "same layout on both sides, no holes");

/* The sum of all samples with one key since the start. */
struct profile_value {
	__u64 samples;
	/*
	 * the sum of the sample periods: the part of the event's count that the samples represent
	 */
	__u64 weight;
};

_Static_assert(sizeof(struct profile_value) == 16, "same layout on both sides, no holes");

/* Code of a chosen program: [start, end). */
struct profile_range {
	__u64 start, end;
};

_Static_assert(sizeof(struct profile_range) == 16, "same layout on both sides, no holes");

/*
 * Samples of an event that are not in a map, counted since the start, for each reason. Together
 * with the samples in the maps, these are all the samples that were taken.
 */
struct profile_fate {
	/* samples that are neither in the chosen programs nor in code that they call */
	__u64 elsewhere;
	__u64 no_room; /* the map is full */
	__u64 busy;    /* the interrupted code held the map's lock */
	__u64 weight;  /* sum of the periods of these samples */
	/*
	 * the kernel could not walk the stack, so it is unknown whether the samples belong to the
	 * programs
	 */
	__u64 no_stack;
	/* samples for which the event's times could not be read; they may be in the map or not */
	__u64 no_times;
};

_Static_assert(sizeof(struct profile_fate) == 48, "same layout on both sides, no holes");

/* The result of bpf_perf_prog_read_value() at the last sample of an event on a CPU. */
struct profile_times {
	__u64 enabled, running;
};

_Static_assert(sizeof(struct profile_times) == 16, "same layout on both sides, no holes");

/*
 * The value of `own_event` if the program serves several events. The link's cookie is then the
 * event + 1.
 */
#define PROFILE_BY_COOKIE 0xffffffffU

#endif
