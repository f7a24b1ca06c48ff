/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads the BPF programs of bpf_skel/cgroup_counter.bpf.c, relocated for the structs of the running
 * kernel. Maps the contents of the programs' BPF maps into memory, and attaches the programs. A
 * slot is the number that pstat assigns to a counted cgroup. A row contains the counts of one slot
 * on one CPU. A cell is one value in a row.
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

/* The properties that must be known before the programs are loaded. */
struct cgroup_sizes {
	/*
	 * the programs read only the values of `nr_plain` events, and the values and the times of
	 * `nr_timed` events
	 */
	uint32_t nr_plain, nr_timed;
	uint32_t nr_cells; /* number of cells in a row */
	uint32_t nr_cpus;  /* largest possible CPU id + 1 */
	uint32_t nr_slots; /* number of slots, including slot 0, which has no cgroup */
	bool v1;	   /* the cgroups are in a hierarchy of cgroup v1 */
	/* with `follow`: id of the mounted cgroup (the cgroup at the mount point) */
	uint64_t root_id;
	/* the programs send a message whenever a cgroup is created or removed */
	bool follow;
	bool shared; /* other sessions can use the programs, too */
	/* the points of --start or --stop, or NULL */
	const struct gate_points *points;
};

/* Returns the size in bytes of one CPU's state: a struct cgroup_cpu and two rows. */
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
	/*
	 * Owns `flush_fd`, `events_fd` and the fds in `maps`. If another session loaded the
	 * programs, `skel` is NULL, and this struct owns these fds itself.
	 */
	struct cgroup_counter_bpf *skel;
	struct cgroup_sizes sizes;
	int switch_fd, move_fd, mkdir_fd, rmdir_fd; /* BPF links; -1: not attached */
	/* the link that cgroup_object__watch_cpus() made for this session only; -1: not attached */
	int hotplug_fd;
	int flush_fd;  /* the program on_move, which also flushes CPUs */
	int events_fd; /* the map of perf events */
	struct cgroup_maps maps;
	struct gate_links *gate_links;
	/* reads the ring buffer maps.wakeups; NULL if the object is shared */
	struct ring_buffer *wakeups;
	/*
	 * if shared: the two pages of maps.wakeups that contain the positions of the consumer and
	 * the producer
	 */
	char *ring;
	/* called for each message about a cgroup; NULL: messages are ignored */
	cgroup_message_fn take_message;
	void *message_ctx;
	char *cpus; /* for each CPU id, a struct cgroup_cpu and two rows */
	size_t cpus_size, cpu_size;
	struct cgroup_control *control;
	struct cgroup_member *members; /* indexed by slot; NULL unless the object is shared */
	/* the rows; the index of a row is CPU id × nr_slots + slot */
	char *rows;
	size_t rows_size;
};

#define CGROUP_OBJECT_INIT                                                                        \
	{                                                                                         \
		.switch_fd = -1, .move_fd = -1, .mkdir_fd = -1, .rmdir_fd = -1, .hotplug_fd = -1, \
		.flush_fd = -1, .events_fd = -1, .maps = CGROUP_MAPS_NONE                         \
	}

/*
 * Loads the programs, and maps the contents of their BPF maps into memory. Does not attach the
 * programs. Returns 0, or -errno with the reason in @why_not.
 */
int cgroup_object__load(struct cgroup_object *object, const struct cgroup_sizes *sizes,
			struct strbuf *why_not);
/*
 * Maps the contents of @object->maps into memory. @object->sizes must describe these maps.
 * cgroup_object__close() removes the mappings. Returns 0 or -errno.
 */
int cgroup_object__map(struct cgroup_object *object);
/*
 * Attaches the programs. They do not count until cgroup_object__enable(). Returns 0, or -errno with
 * the reason in @why_not.
 */
int cgroup_object__attach(struct cgroup_object *object, struct strbuf *why_not);
/*
 * Attaches a BPF program that runs at each of the steps in which the kernel takes a CPU offline or
 * brings a CPU online. When a CPU goes offline, the program flushes the CPU, and sets
 * cgroup_cpu.stale: the CPU's events must be opened again. Returns 0 or -errno.
 */
int cgroup_object__watch_cpus(struct cgroup_object *object);
/* Closes the object. It may be an object that was never loaded (CGROUP_OBJECT_INIT). */
void cgroup_object__close(struct cgroup_object *object);

/* Returns the gate (gate.h). cgroup_sizes.points must have been set at cgroup_object__load(). */
struct gate *cgroup_object__gate(const struct cgroup_object *object);
/*
 * Enables or disables counting. The change takes effect on a CPU when one of the programs next runs
 * on this CPU, for example at cgroup_object__flush().
 */
void cgroup_object__enable(struct cgroup_object *object, bool enabled);
/*
 * Adds the counts since the CPU's previous reading to the CPU's rows ("flushes" the CPU). Returns
 * 0; -ENXIO if the CPU is offline; or another -errno.
 */
int cgroup_object__flush(const struct cgroup_object *object, int cpu_id);

/*
 * Returns an fd that becomes readable when a task moves to another cgroup, when a cgroup is created
 * or removed, or when the gate opens or closes. cgroup_object__take_wakeups() passes all waiting
 * messages about cgroups to take_message. Afterwards, the fd is not readable until one of these
 * things happens again.
 */
int cgroup_object__wake_fd(const struct cgroup_object *object);
void cgroup_object__take_wakeups(struct cgroup_object *object);
/* Returns how many messages about created or removed cgroups the programs could not send. */
uint64_t cgroup_object__lost_messages(const struct cgroup_object *object);

/*
 * Assigns @slot to the cgroup @id. If @slot is 0, removes the cgroup's slot, so that the cgroup's
 * tasks are counted for the nearest cgroup above it that has a slot. Returns 0 or -errno.
 */
int cgroup_object__set_slot(struct cgroup_object *object, uint64_t id, uint32_t slot);
/*
 * Reserves @slot for a cgroup that will be created. Returns 0; -E2BIG if CGROUP_RESERVE slots are
 * already reserved; or another -errno.
 */
int cgroup_object__reserve_slot(struct cgroup_object *object, uint32_t slot);
/*
 * Called when slots are assigned or removed. Makes each CPU look up the slots of cgroups again when
 * one of the programs next runs on this CPU. Also makes each session that shares the object read
 * the tree of cgroups again (cgroup_session__refresh()).
 */
void cgroup_object__forget_slots(struct cgroup_object *object);

/* Returns the nr_cells values of the latest reading on the CPU. */
uint64_t *cgroup_object__last(const struct cgroup_object *object, int cpu_id);
struct cgroup_cpu *cgroup_object__cpu(const struct cgroup_object *object, int cpu_id);
/*
 * Returns the nr_cells cells of a row. The programs that run on the CPU can change the cells at any
 * time.
 */
const volatile uint64_t *cgroup_object__row(const struct cgroup_object *object, int cpu_id,
					    uint32_t slot);

/* ---- backend-cgroup-btf.c ---- */

/*
 * BTF that describes nine structs of the running kernel: those that bpf_skel/cgroup_counter.bpf.c
 * uses. pstat finds the offsets of their members with kernel-btf.c, in a tenth of the time that
 * libbpf would need to index all kernel types. libbpf relocates the programs with this BTF
 * (btf_custom_path).
 */
struct cgroup_btf {
	int fd;		     /* a memfd, which the caller closes */
	uint32_t switch_id;  /* BTF id of btf_trace_sched_switch */
	bool has_perf_event; /* this kernel has the perf_event hierarchy of cgroup v1 */
};

/*
 * Finds the types of the running kernel, and writes the BTF to a memfd. Returns 0, or -errno with
 * the reason in @why_not.
 */
int cgroup_btf__make(struct cgroup_btf *btf, struct strbuf *why_not);

#endif
