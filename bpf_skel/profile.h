/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that util/count/profile/ shares with the sampling programs: the BPF programs that run at
 * each sample (profile.bpf.c). The chosen programs are the BPF programs that the user selected with
 * `pstat profile -b`.
 */
#ifndef PSTAT_PROFILE_H
#define PSTAT_PROFILE_H

/* The maximum number of stack frames of one BPF program (MAX_CALL_FRAMES in Linux). */
#define PROFILE_MOST_FRAMES 8

/* Key of profile_lines: an event, and the frames of a sample that are in the chosen programs. */
struct profile_frames {
	__u32 event; /* index of the event */
	__u16 nr;    /* number of addresses in `ips`; the remaining elements are 0 */
	/*
	 * 0: the sample was taken at ips[0]. 1: the code at ips[0] had called code outside the
	 * chosen programs, and the sample was taken in that code
	 */
	__u16 in_callee;
	/* the innermost frame first; the address in a caller is inside the call instruction */
	__u64 ips[PROFILE_MOST_FRAMES];
};

_Static_assert(sizeof(struct profile_frames) == 8 + 8 * PROFILE_MOST_FRAMES,
	       "same layout on both sides, no holes");

/*
 * Key of profile_stacks: an event, and the process, the name of the thread and the two stacks of a
 * sample. `kernel` and `user` each contain the id of a stack, or one of the values PROFILE_NO_STACK
 * and PROFILE_STACK_LOST.
 */
struct profile_stack_key {
	__u32 event;
	__u32 pid; /* id of the process */
	__s32 kernel, user;
	/*
	 * the address at which the sample was taken, if `kernel` (for an address in the kernel) or
	 * `user` (for any other address) is PROFILE_STACK_LOST; otherwise 0
	 */
	__u64 ip;
	char comm[16] __attribute__((aligned(8)));
};

_Static_assert(sizeof(struct profile_stack_key) == 40, "same layout on both sides, no holes");

/* The value of `kernel` if a sample has no kernel stack, and of `user` if it has no user stack. */
#define PROFILE_NO_STACK (-1)
/* The stack was lost for one of the reasons in struct profile_stack_fate. */
#define PROFILE_STACK_LOST (-2)

/* This bit is set in the id of a user stack that is in the second map (user_stacks_too). */
#define PROFILE_SECOND_MAP (1 << 30)

/* The number of stacks of an event that have been lost since the start, by reason. */
struct profile_stack_fate {
	__u64 collided; /* another stack has the same id in the map */
	__u64 no_room;	/* the map is full */
	__u64 failed;	/* the kernel could not walk the stack */
};

_Static_assert(sizeof(struct profile_stack_fate) == 24, "same layout on both sides, no holes");

/* The sum of all samples with the same key since the start. */
struct profile_value {
	__u64 samples;
	/* sum of the sample periods: the part of the event's count that the samples represent */
	__u64 weight;
};

_Static_assert(sizeof(struct profile_value) == 16, "same layout on both sides, no holes");

/* The code of a function of a chosen program: [start, end). */
struct profile_range {
	__u64 start, end;
};

_Static_assert(sizeof(struct profile_range) == 16, "same layout on both sides, no holes");

/*
 * How many samples of an event have not been added to the map (profile_lines or profile_stacks)
 * since the start, by reason. Each sample (with --start or --stop, each sample that was taken while
 * the gate was open) is either added to this map or counted in one of `elsewhere`, `no_room`,
 * `busy` and `no_stack`.
 */
struct profile_fate {
	/* neither in the chosen programs nor in code that a chosen program called */
	__u64 elsewhere;
	__u64 no_room; /* the map is full */
	__u64 busy;    /* the sample interrupted code that held the map's lock */
	__u64 weight;  /* sum of the periods of all samples that are not in the map */
	/*
	 * the kernel could not walk the stack, so pstat does not know whether a chosen program was
	 * running
	 */
	__u64 no_stack;
	/*
	 * samples for which the times of the event could not be read; such a sample can still be
	 * added to the map
	 */
	__u64 no_times;
};

_Static_assert(sizeof(struct profile_fate) == 48, "same layout on both sides, no holes");

/*
 * The enabled and running (counting) times of an event on a CPU, in ns, as of the event's last
 * sample on this CPU.
 */
struct profile_times {
	__u64 enabled, running;
};

_Static_assert(sizeof(struct profile_times) == 16, "same layout on both sides, no holes");

/*
 * The value of own_event (profile_sample.bpf.h) in a program that is attached to several events.
 * The BPF cookie of each link is then the index of the event + 1.
 */
#define PROFILE_BY_COOKIE 0xffffffffU

#endif
