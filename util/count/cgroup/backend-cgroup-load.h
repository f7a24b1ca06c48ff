/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF side of backend-cgroup.c: loads the programs with the offsets of the running kernel, maps
 * the memory of their maps, and attaches them.
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_LOAD_H
#define PSTAT_COUNT_BACKEND_CGROUP_LOAD_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf_skel/cgroup_counter.h"

struct cgroup_counter_bpf;
struct gate;
struct gate_links;
struct gate_points;
struct ring_buffer;
struct strbuf;

/* The properties that must be known before the load. */
struct cgroup_sizes {
	uint32_t nr_plain, nr_timed; /* number of events */
	uint32_t nr_cells;	     /* number of cells of a row */
	uint32_t nr_cpus;	     /* largest possible CPU id + 1 */
	uint32_t nr_slots;	     /* number of slots, including the slot of no cgroup */
	bool v1;		     /* the hierarchy is cgroup v1 */
	uint64_t root_id;	     /* id of the mounted cgroup; with `follow` */
	bool follow;		     /* report cgroups that are created and removed */
	bool shared;		     /* other sessions can join */
	/* --start and --stop; otherwise NULL */
	const struct gate_points *points;
};

/* The size of a CPU's state: struct cgroup_cpu and two rows. */
size_t cgroup_sizes__cpu_size(const struct cgroup_sizes *sizes);

/* Fds of maps; -1: not open. */
struct cgroup_maps {
	int slots, cpus, rows, wakeups, control, info, members;
};

#define CGROUP_MAPS_NONE                      \
	((struct cgroup_maps){ .slots = -1,   \
			       .cpus = -1,    \
			       .rows = -1,    \
			       .wakeups = -1, \
			       .control = -1, \
			       .info = -1,    \
			       .members = -1 })

typedef void (*cgroup_message_fn)(void *ctx, const struct cgroup_message *message);

struct cgroup_object {
	/* NULL: another session loaded the programs; the fds are this session's */
	struct cgroup_counter_bpf *skel;
	struct cgroup_sizes sizes;
	int switch_fd, move_fd, mkdir_fd, rmdir_fd; /* links; -1: not attached */
	int hotplug_fd;				    /* the link of this session */
	int flush_fd;
	int events_fd; /* fd of a map */
	struct cgroup_maps maps;
	struct gate_links *gate_links;
	struct ring_buffer *wakeups; /* NULL if the object is shared */
	char *ring; /* shared: two pages with the positions of the consumer and the producer */
	cgroup_message_fn take_message; /* NULL: messages are not needed */
	void *message_ctx;
	char *cpus; /* struct cgroup_cpu and two rows, by CPU id */
	size_t cpus_size, cpu_size;
	struct cgroup_control *control;
	struct cgroup_member *members; /* [slot], shared only */
	char *rows;		       /* by CPU id × nr_slots + slot */
	size_t rows_size;
};

#define CGROUP_OBJECT_INIT                                                                        \
	{                                                                                         \
		.switch_fd = -1, .move_fd = -1, .mkdir_fd = -1, .rmdir_fd = -1, .hotplug_fd = -1, \
		.flush_fd = -1, .events_fd = -1, .maps = CGROUP_MAPS_NONE                         \
	}

/*
 * Loads the programs and maps their counts. The programs do not run yet. Returns 0, or -errno with
 * the reason in @why_not.
 */
int cgroup_object__load(struct cgroup_object *object, const struct cgroup_sizes *sizes,
			struct strbuf *why_not);
/*
 * Maps the memory of @object->maps; @object->sizes has their sizes. Returns 0 or -errno.
 * cgroup_object__close() unmaps it.
 */
int cgroup_object__map(struct cgroup_object *object);
/*
 * Attaches the programs. They run, but do not count until cgroup_object__enable(). Returns 0, or
 * -errno with the reason in @why_not.
 */
int cgroup_object__attach(struct cgroup_object *object, struct strbuf *why_not);
/*
 * From now on, when a CPU goes offline, the BPF program first flushes the CPU, and then marks its
 * events as stale. If one session has called this, no other session needs to check which events
 * still count. Returns 0 or -errno without a reason.
 */
int cgroup_object__watch_cpus(struct cgroup_object *object);
/* Closes the object, even if it was never loaded. */
void cgroup_object__close(struct cgroup_object *object);

/* Returns the gate. Only with points. */
struct gate *cgroup_object__gate(const struct cgroup_object *object);
/* Enables or disables counting. Each CPU notices this at its next run of the program. */
void cgroup_object__enable(struct cgroup_object *object, bool enabled);
/* Flushes the CPU. Returns 0, -ENXIO if the CPU is offline, or another -errno. Logs nothing. */
int cgroup_object__flush(const struct cgroup_object *object, int cpu_id);

/*
 * Returns an fd that becomes readable when tasks move or cgroups are created or removed.
 * cgroup_object__take_wakeups() makes it unreadable again.
 */
int cgroup_object__wake_fd(const struct cgroup_object *object);
void cgroup_object__take_wakeups(struct cgroup_object *object);
/* Returns how many messages about created or removed cgroups were lost. */
uint64_t cgroup_object__lost_messages(const struct cgroup_object *object);

/*
 * From now on, the cgroup uses @slot. If @slot is 0, it uses the slot of the cgroup above it.
 * Returns 0 or -errno. Logs nothing.
 */
int cgroup_object__set_slot(struct cgroup_object *object, uint64_t id, uint32_t slot);
/*
 * Reserves @slot for a cgroup that may be created. Returns 0, -E2BIG if CGROUP_RESERVE slots are
 * reserved already, or another -errno. Logs nothing.
 */
int cgroup_object__reserve_slot(struct cgroup_object *object, uint32_t slot);
/* Makes each CPU drop its cached slots at the next run of the program there. */
void cgroup_object__forget_slots(struct cgroup_object *object);

/*
 * Returns the values that were read at the start of the current slice on the CPU: nr_cells values.
 */
uint64_t *cgroup_object__last(const struct cgroup_object *object, int cpu_id);
struct cgroup_cpu *cgroup_object__cpu(const struct cgroup_object *object, int cpu_id);
/* Returns the nr_cells cells of a row. The CPU may be changing them at this moment. */
const volatile uint64_t *cgroup_object__row(const struct cgroup_object *object, int cpu_id,
					    uint32_t slot);

/* ---- backend-cgroup-btf.c ---- */

/*
 * Offsets and an id of the running kernel that bpf_skel/cgroup_counter.bpf.c needs. libbpf would
 * index all types of the kernel to find them. kernel-btf finds them in a tenth of the time. It
 * passes the offsets to libbpf as a BTF of nine structs, and libbpf relocates the programs for this
 * BTF (btf_custom_path).
 */
struct cgroup_btf {
	int fd;		     /* a memfd, which the caller closes */
	uint32_t switch_id;  /* id of the type by which tp_btf/sched_switch is attached */
	bool has_perf_event; /* the offsets of v1's perf_event hierarchy are known */
};

/* Returns 0, or -errno with the reason in @why_not. */
int cgroup_btf__make(struct cgroup_btf *btf, struct strbuf *why_not);

#endif
