/* SPDX-License-Identifier: GPL-2.0-only */
/* What the program profiler's BPF side and util/count/prog-target.c, backend-prog.c both see. */
#ifndef PSTAT_PROG_PROFILER_H
#define PSTAT_PROG_PROFILER_H

/* Runs in flight on one CPU that can be told apart: nested ones, and those that preempted another. */
#define PROG_SLOTS 8
#define PROG_MAX_EVENTS 64

/*
 * Per CPU and target, the one entry of the map `state`. Behind it stand readings (struct bpf_perf_event_value), nr_events in
 * each row: the totals, the ends of the run that is being added up, and the starts of each slot.
 */
struct prog_state {
	__u64 runs;	   /* counted, from begin to end */
	__u64 lost;	   /* began while enabled, and could not be followed to their end */
	__u64 unpaired;	   /* ends whose begin was not seen: begun before the count, or missed by the kernel */
	__u64 read_errors; /* runs not added because a counter could not be read */
	__u64 elsewhere;   /* runs on a CPU that has no events, as it was offline when they were opened */
	__u32 skip;	   /* set from user space, enum prog_skip */
	__u32 ending;	   /* the end of a run is being added up here */
	__u32 next_victim; /* slot to give up when all are in use */
	__u32 unused;
	__u64 frames[PROG_SLOTS]; /* address of the trampoline's frame; 0: the slot is free */
};

enum prog_skip {
	PROG_SKIP_NOT = 0,
	PROG_SKIP_UNWANTED = 1,	 /* runs on this CPU were not asked for */
	PROG_SKIP_NO_EVENTS = 2, /* they were, but it has no events: they are told of */
};

#define PROG_ROW_TOTAL 0
#define PROG_ROW_END 1
#define PROG_ROW_START 2 /* and one row more for each further slot */
#define PROG_ROWS (PROG_ROW_START + PROG_SLOTS)

_Static_assert(sizeof(struct prog_state) == 56 + 8 * PROG_SLOTS, "same layout on both sides, no holes");

#endif
