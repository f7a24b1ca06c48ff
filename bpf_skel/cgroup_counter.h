/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF side of counting by control group and util/count/cgroup/ both see. */
#ifndef PSTAT_CGROUP_COUNTER_H
#define PSTAT_CGROUP_COUNTER_H

/* Events that are read at a switch. Those that need no reading (clocks, context switches) come on top. */
#define CGROUP_MAX_PLAIN 512
#define CGROUP_MAX_TIMED 512

/*
 * A row of cells (__u64) for each slot and CPU: what was counted while tasks of that slot ran there. Slot 0 is for all that is in
 * no listed control group; a listed one has a slot of its own. A task counts for one slot only, that of the nearest listed
 * ancestor of its group: user space adds up the tree.
 */
enum cgroup_cell {
	CGROUP_CELL_TIME,     /* ns on the CPU */
	CGROUP_CELL_SWITCHES, /* context switches away from it */
	CGROUP_CELL_CROSSED,  /* context switches from it to another control group, listed or not */
	CGROUP_CELL_PLAIN,    /* then values of the plain events, then value, enabled, running of each timed one */
};

/* The groups that ran last on a CPU, so that a switch need not look them up again. */
#define CGROUP_CACHE 64

struct cgroup_cached {
	__u64 key; /* of the group: see key_of(); 0: nothing is cached here */
	__u64 slot;
};

/*
 * What goes on on one CPU. Behind it stand two rows of cells: `last`, the readings that the running slice began with, and `now`,
 * room for the next. Written by that CPU alone, but for what is marked as user space's.
 */
struct cgroup_cpu {
	__u64 key;	/* of the group that runs */
	__u32 slot;	/* that it counts for */
	__u32 on;	/* the readings in `last` are good: counting began here */
	__u32 busy;	/* the program is at work here */
	__u32 skip;	/* enum cgroup_skip; set by user space before the start */
	__u64 switches; /* running counts since the start, read like events */
	__u64 crossed;
	__u64 read_errors; /* readings that failed: what was counted meanwhile went to a later slice */
	__u64 elsewhere;   /* context switches on a CPU that has no events, as it was offline when they were opened */
	__u64 nested;	   /* runs that found another at work */
	__u64 task;	   /* that runs here, as far as was seen: its address */
	__u64 unseen;	   /* context switches that the tracepoint did not tell of */
	__u64 guessed;	   /* of these, those between two slots: how much was whose was found by time */
	__u64 epoch; /* of control, as it was when the slice began: while it is the same nothing has changed; 0: look */
	__u64 set;   /* address of the css_set of the task that runs */
	/* the CPU is offline or about to be: its time is not counted from the moment at which it stops */
	__u32 away;
	/*
	 * the CPU went offline, so its perf events never count again; user space clears this after opening new events
	 */
	__u32 stale;
	__u64 unused[2];
	struct cgroup_cached cache[CGROUP_CACHE];
};

/* To user space: a group was made or removed. A message of a move has 8 bytes. */
#define CGROUP_PATH_SIZE 1024
#define CGROUP_RESERVE 64 /* slots that are ready for groups to come */
struct cgroup_message {
	__u64 id;
	__u32 slot; /* that the group made has got already; 0: none was in reserve */
	__u16 removed;
	__u16 levels; /* below the group that is mounted: so many last parts of the path are the name there */
	char path[CGROUP_PATH_SIZE]; /* in its hierarchy; cut when it is longer */
};

/* What user space writes while the programs run, but for lost_messages. */
struct cgroup_control {
	/* one more whenever slots are given or taken: what is cached then is void */
	volatile __u64 generation;
	/* one more whenever anything changes: generation, enabled, a task's group. Written by the programs too. */
	volatile __u64 epoch;
	/* groups made or removed that user space could not be told of. Written by the programs. */
	volatile __u64 lost_messages;
	/* shall it count? Each CPU comes to know at its next run, and user space runs `on_move` there at once */
	volatile __u32 enabled;
	/* shared: slots that have been given out, 0 included; they are never taken back */
	volatile __u32 nr_used;
};

/*
 * A leader that sessions share counts all the time, for all groups that any of them lists: a session's count is how much a group and those
 * below it have come on since it began. The events that it counts:
 */
#define CGROUP_INFO_VERSION 2
#define CGROUP_INFO_MAX_EVENTS 64
#define CGROUP_ATTR_SIZE 136

struct cgroup_event {
	__u8 attr[CGROUP_ATTR_SIZE]; /* struct perf_event_attr as it was parsed */
	__u32 timed;
	__u32 read; /* place among the plain or timed ones */
};

struct cgroup_info {
	__u32 version; /* another one for any other layout of what is mapped or in these maps */
	__u32 nr_events;
	__u32 nr_plain, nr_timed, nr_cells, nr_cpus, nr_slots;
	__u32 v1;
	struct cgroup_event events[CGROUP_INFO_MAX_EVENTS];
};

/* The group of a slot of a shared leader, and those above it, the nearest first: the tree is made of ids, as a group never leaves its parent. */
#define CGROUP_MAX_ABOVE 14
struct cgroup_member {
	__u64 id; /* 0: nobody's after all */
	__u32 nr_above;
	__u32 unused;
	__u64 above[CGROUP_MAX_ABOVE];
};

enum cgroup_skip {
	CGROUP_SKIP_NOT = 0,
	CGROUP_SKIP_UNWANTED = 1,  /* this CPU was not asked for */
	CGROUP_SKIP_NO_EVENTS = 2, /* it was, but has no events */
	CGROUP_SKIP_HELD = 3,	   /* user space is replacing the events of the CPU */
};

_Static_assert(sizeof(struct cgroup_cpu) == 128 + 16 * CGROUP_CACHE, "same layout on both sides, whole cache lines");
_Static_assert(sizeof(struct cgroup_control) == 32 && sizeof(struct cgroup_member) == 128 &&
		       sizeof(struct cgroup_info) == 32 + (CGROUP_ATTR_SIZE + 8) * CGROUP_INFO_MAX_EVENTS,
	       "same layout on both sides, no holes");

#endif
