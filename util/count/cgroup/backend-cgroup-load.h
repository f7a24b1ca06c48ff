/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF side of backend-cgroup.c: loaded with the offsets of the running kernel, its maps mapped, attached. */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_LOAD_H
#define PSTAT_COUNT_BACKEND_CGROUP_LOAD_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf_skel/cgroup_counter.h"

struct ring_buffer;
struct strbuf;

/* What has to be known before it is loaded. */
struct cgroup_sizes {
	uint32_t nr_plain, nr_timed; /* events */
	uint32_t nr_cells;	     /* of a row */
	uint32_t nr_cpus;	     /* largest possible CPU id + 1 */
	uint32_t nr_slots;	     /* the one of no group included */
	bool v1;		     /* the hierarchy is v1's */
	uint64_t root_id;	     /* of the group that is mounted; with follow */
	bool follow;		     /* tell of groups that are made and removed */
	bool shared;		     /* other sessions can join */
};

/* Of what goes on on a CPU: struct cgroup_cpu and two rows. */
size_t cgroup_sizes__cpu_size(const struct cgroup_sizes *sizes);

/* Its maps, by fd; -1: none. */
struct cgroup_maps {
	int slots, cpus, rows, wakeups, control, info, members;
};

#define CGROUP_MAPS_NONE       \
	((struct cgroup_maps){ \
		.slots = -1, .cpus = -1, .rows = -1, .wakeups = -1, .control = -1, .info = -1, .members = -1 })

struct cgroup_counter_bpf;

typedef void (*cgroup_message_fn)(void *ctx, const struct cgroup_message *message);

struct cgroup_object {
	struct cgroup_counter_bpf *skel; /* NULL: another session has loaded it, and the fds are its own here */
	struct cgroup_sizes sizes;
	int switch_fd, move_fd, mkdir_fd, rmdir_fd; /* of the attached programs; -1: not attached */
	int hotplug_fd;				    /* likewise, of this session: each has its own */
	int settle_fd;
	int events_fd; /* a map */
	struct cgroup_maps maps;
	struct ring_buffer *wakeups;	/* NULL when it is shared: what is in there is for nobody alone */
	char *ring;			/* shared: two pages, what was consumed and what was produced */
	cgroup_message_fn take_message; /* NULL: nobody wants them */
	void *message_ctx;
	char *cpus; /* struct cgroup_cpu and two rows, by CPU id */
	size_t cpus_size, cpu_size;
	struct cgroup_control *control;
	struct cgroup_member *members; /* [slot], shared only */
	char *rows;		       /* by CPU id × nr_slots + slot */
	size_t rows_size;
};

#define CGROUP_OBJECT_INIT                                                                                         \
	{                                                                                                          \
		.switch_fd = -1, .move_fd = -1, .mkdir_fd = -1, .rmdir_fd = -1, .hotplug_fd = -1, .settle_fd = -1, \
		.events_fd = -1, .maps = CGROUP_MAPS_NONE                                                          \
	}

/* Loads it and maps what it counts; nothing runs yet. 0 or -errno with the reason in @why_not. */
int cgroup_object__load(struct cgroup_object *object, const struct cgroup_sizes *sizes, struct strbuf *why_not);
/* Maps what @object->maps have, whose sizes are those of @object->sizes. 0 or -errno; cgroup_object__close() unmaps. */
int cgroup_object__map(struct cgroup_object *object);
/* From here on the programs run, and do nothing until cgroup_object__enable(). 0 or -errno, the reason in @why_not. */
int cgroup_object__attach(struct cgroup_object *object, struct strbuf *why_not);
/*
 * From now on the program accounts the counts of a CPU before the CPU goes offline, and then marks its events as
 * stale. Once any session has called this, no other session needs to check which events still count. Returns 0 or
 * -errno without a reason.
 */
int cgroup_object__watch_cpus(struct cgroup_object *object);
/* Fine with one that was never loaded. */
void cgroup_object__close(struct cgroup_object *object);

/* Each CPU comes to know at its next run of the program. */
void cgroup_object__enable(struct cgroup_object *object, bool enabled);
/* Charges what runs on the CPU for the time until now. 0, -ENXIO when it is offline, or another -errno; tells nothing. */
int cgroup_object__settle(const struct cgroup_object *object, int cpu_id);

/* An fd that is readable when tasks have moved or groups were made or removed; cgroup_object__take_wakeups() empties it. */
int cgroup_object__wake_fd(const struct cgroup_object *object);
void cgroup_object__take_wakeups(struct cgroup_object *object);
/* Groups made or removed that nobody was told of. */
uint64_t cgroup_object__lost_messages(const struct cgroup_object *object);

/* From here on the group counts for @slot, or for the slot above when @slot is 0. 0 or -errno; tells nothing. */
int cgroup_object__set_slot(struct cgroup_object *object, uint64_t id, uint32_t slot);
/* A group that is made gets @slot. 0, -E2BIG when there is a reserve of CGROUP_RESERVE, or another -errno; tells nothing. */
int cgroup_object__reserve_slot(struct cgroup_object *object, uint32_t slot);
/* What CPUs remember of slots is void from their next run on. */
void cgroup_object__forget_slots(struct cgroup_object *object);

/* Returns the readings at the start of the slice that is running on the CPU: nr_cells values. */
uint64_t *cgroup_object__last(const struct cgroup_object *object, int cpu_id);
struct cgroup_cpu *cgroup_object__cpu(const struct cgroup_object *object, int cpu_id);
/* nr_cells cells, which the CPU may be adding to. */
const volatile uint64_t *cgroup_object__row(const struct cgroup_object *object, int cpu_id, uint32_t slot);

#endif
