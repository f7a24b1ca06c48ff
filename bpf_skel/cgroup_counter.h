/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that util/count/cgroup/ exchanges with the BPF programs that count by cgroup. These programs
 * read the counters of a CPU at context switches between cgroups.
 */
#ifndef PSTAT_CGROUP_COUNTER_H
#define PSTAT_CGROUP_COUNTER_H

/*
 * The maximum numbers of plain and timed events. For a plain event, the programs read only the
 * value. For a timed event, they also read the enabled and running times. Clocks, context switches
 * and cgroup switches are neither plain nor timed, because no counter is read for them.
 */
#define CGROUP_MAX_PLAIN 512
#define CGROUP_MAX_TIMED 512

/*
 * Each cgroup that the user lists has a slot; slot 0 is for tasks that are not in a listed cgroup.
 * On each CPU, a slot has a row of cells (__u64). The cells contain what the events counted while
 * tasks of the slot ran on this CPU. A task is counted only in the slot of the nearest listed
 * cgroup that contains the task. User space adds the counts of descendants to the counts of their
 * ancestors.
 */
enum cgroup_cell {
	CGROUP_CELL_TIME,     /* time for which tasks of this slot ran, in ns */
	CGROUP_CELL_SWITCHES, /* context switches away from a task of this slot */
	/* context switches from a task of this slot to a task of another cgroup, listed or not */
	CGROUP_CELL_CROSSED,
	/*
	 * the first of the remaining cells; these are the values of the plain events, followed by
	 * the value, enabled time and running time of each timed event
	 */
	CGROUP_CELL_PLAIN,
};

/*
 * The number of cgroups whose slots each CPU caches. A context switch to one of these cgroups needs
 * no lookup in the map `slots`.
 */
#define CGROUP_CACHE 64

struct cgroup_cached {
	__u64 key; /* identifies a cgroup (key_of() in cgroup_slot.bpf.h); 0: the entry is empty */
	__u64 slot;
};

/*
 * The state of one CPU. In memory, this struct is followed by two rows of cells, with values of the
 * clock and the counters: `last`, the reading at the start of the current slice, and `now`, a
 * buffer for the next reading. A slice is the time between two consecutive readings. Usually, only
 * programs on this CPU write the state. But user space writes `skip` and `stale`, and resets `last`
 * when it replaces events. While this CPU comes online, on_move() on another CPU also writes
 * `last`.
 */
struct cgroup_cpu {
	__u64 key;  /* key of the running task's cgroup */
	__u32 slot; /* slot of the running task */
	__u32 on;   /* nonzero: this CPU is counted, and the reading in `last` is valid */
	__u32 busy; /* while a program runs on this CPU: 1 or CGROUP_AT_POINT; otherwise 0 */
	__u32 skip; /* enum cgroup_skip; written by user space */
	/*
	 * number of context switches that the programs have counted on this CPU; a reading contains
	 * this number, as if it were the value of an event
	 */
	__u64 switches;
	__u64 crossed; /* likewise, the number of context switches to a task of another cgroup */
	/* number of failed reads; what they missed is charged to a later slice */
	__u64 read_errors;
	/*
	 * context switches while the CPU had no events, because the CPU was offline when user space
	 * opened the events
	 */
	__u64 elsewhere;
	/* number of runs that did nothing, because they interrupted another run on this CPU */
	__u64 nested;
	/* address of the running task, as last seen by on_switch() or on_move() */
	__u64 task;
	__u64 unseen; /* context switches at which no program ran */
	/*
	 * unseen switches between two slots; the counts were divided between the slots in
	 * proportion to time
	 */
	__u64 guessed;
	/*
	 * the value of control.epoch when the cgroup of the running task was last looked up; while
	 * control.epoch has this value, no new lookup is needed. 0: the programs do not count on
	 * this CPU
	 */
	__u64 epoch;
	__u64 set; /* address of the running task's css_set */
	/*
	 * the CPU is offline, or will be soon; the time during which it is offline is not counted
	 */
	__u32 away;
	/*
	 * the CPU went offline, so its perf events never count again; user space clears `stale`
	 * after opening new events
	 */
	__u32 stale;
	/* with --start or --stop: the value of gate_time() at the last reading */
	__u64 gate_time;
	__u64 unused;
	struct cgroup_cached cache[CGROUP_CACHE];
};

/*
 * The value of `busy` while a program at a point of --start or --stop reads the counters. If
 * another reading interrupts the program, the program reads the counters again.
 */
#define CGROUP_AT_POINT 2

#define CGROUP_PATH_SIZE 1024
#define CGROUP_RESERVE 64 /* the number of free slots that are kept for new cgroups */
/*
 * A message to user space that a cgroup was created or removed. All other messages are shorter (8
 * bytes) and contain no data.
 */
struct cgroup_message {
	__u64 id;
	__u32 slot; /* the slot of the new cgroup; 0: it has no slot, or `removed` is set */
	__u16 removed;
	/*
	 * how many levels the cgroup is below the mounted cgroup (root_id in cgroup_maps.bpf.h);
	 * the last `levels` components of `path` are the path below the mounted cgroup
	 */
	__u16 levels;
	/* the path from the root of the hierarchy; truncated if it is too long */
	char path[CGROUP_PATH_SIZE];
};

/* Variables that user space and the programs share while the programs run. */
struct cgroup_control {
	/*
	 * user space increments this number when it assigns or releases slots, to make all entries
	 * of the caches invalid
	 */
	volatile __u64 generation;
	/*
	 * incremented whenever `generation`, `enabled` or the cgroup of a task changes, and when
	 * user space clears `skip` of a CPU
	 */
	volatile __u64 epoch;
	/* number of messages (struct cgroup_message) that the programs could not send */
	volatile __u64 lost_messages;
	/*
	 * whether the programs count; after changing this value, user space runs on_move() on each
	 * CPU, so that the change takes effect immediately
	 */
	volatile __u32 enabled;
	/*
	 * for shared leaders (see below): number of slots assigned so far, including slot 0; slots
	 * of shared leaders are never released
	 */
	volatile __u32 nr_used;
};

/*
 * Sessions of several pstat processes can read the counts of one set of BPF programs, called a
 * shared leader. The leader counts all cgroups that any of these sessions lists. Each session
 * reports, for each cgroup in its own list, by how much the counts of the cgroup and its
 * descendants have increased while the session was counting. The structs below describe the leader
 * and its events.
 */
#define CGROUP_INFO_VERSION 2
#define CGROUP_INFO_MAX_EVENTS 64
#define CGROUP_ATTR_SIZE 136

struct cgroup_event {
	__u8 attr[CGROUP_ATTR_SIZE]; /* struct perf_event_attr, as the event parser made it */
	__u32 timed;
	__u32 read; /* index among the plain or the timed events */
};

struct cgroup_info {
	/* CGROUP_INFO_VERSION; it changes with the layout of the leader's maps */
	__u32 version;
	__u32 nr_events;
	__u32 nr_plain, nr_timed, nr_cells, nr_cpus, nr_slots;
	__u32 v1;
	struct cgroup_event events[CGROUP_INFO_MAX_EVENTS];
};

/*
 * The cgroup of one slot of a shared leader: the id of the cgroup, and the ids of its ancestors,
 * from the parent up. Each session uses these ids to find the descendants of its cgroups, including
 * those that other sessions have listed. The ids never need an update, because the parent of a
 * cgroup never changes.
 */
#define CGROUP_MAX_ABOVE 14
struct cgroup_member {
	__u64 id; /* id of the cgroup; 0: the slot is unused */
	__u32 nr_above;
	__u32 unused;
	__u64 above[CGROUP_MAX_ABOVE];
};

enum cgroup_skip {
	CGROUP_SKIP_NOT = 0,
	CGROUP_SKIP_UNWANTED = 1,  /* the user did not select this CPU */
	CGROUP_SKIP_NO_EVENTS = 2, /* the CPU is to be counted, but has no events */
	CGROUP_SKIP_HELD = 3,	   /* user space is replacing the events of the CPU */
};

_Static_assert(sizeof(struct cgroup_cpu) == 128 + 16 * CGROUP_CACHE,
	       "same layout on both sides, whole cache lines");
_Static_assert(sizeof(struct cgroup_control) == 32 && sizeof(struct cgroup_member) == 128 &&
		       sizeof(struct cgroup_info) ==
			       32 + (CGROUP_ATTR_SIZE + 8) * CGROUP_INFO_MAX_EVENTS,
	       "same layout on both sides, no holes");

#endif
