// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/profile-stacks.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/profile/mapping-events.h"
#include "util/count/profile/profile.h"
#include "util/count/profile/sample-table.h"
#include "util/count/stat-config.h"
#include "util/machine/bpf/bpf-prog-code.h"
#include "util/machine/symbols/kernel-code.h"
#include "util/machine/symbols/kernel-symbols.h"
#include "util/machine/symbols/mapped-objects.h"
#include "util/machine/task/threadmap.h"

#define MOST_FRAMES 127 /* PERF_MAX_STACK_DEPTH */

/*
 * Copies of the stacks in one map of struct stack_maps. The index in `copies` is the id of the
 * stack. The stack of an id never changes, so each stack is read only once.
 */
struct stack_copies {
	struct copy {
		struct code_frame *frames; /* NULL: not read */
		uint32_t nr;
	} * copies;
};

struct profile_stacks {
	uint32_t depth, room;
	struct stack_copies kernel, user, user_too;
	struct mapped_objects *objects;
	struct kernel_code *code;
	bool has_kernel; /* whether any sample has a kernel stack */
	struct kernel_symbols *symbols;
	int symbols_err;	       /* the error from reading the kernel's symbols, or 0 */
	struct mapping_events *events; /* NULL: the kernel does not report mappings */
	uint64_t lost_mark;
	char *value;		   /* buffer for a value of a map */
	struct code_frame *frames; /* [depth]: buffer for the stack being copied */
};

static uint32_t depth_allowed(void)
{
	uint64_t depth;

	if (sysfs__read_u64(sysroots__host()->procfs, "sys/kernel/perf_event_max_stack", &depth) ||
	    !depth)
		return MOST_FRAMES;
	return depth < MOST_FRAMES ? (uint32_t)depth : MOST_FRAMES;
}

/*
 * Returns the number of possible ids in a map of @size stacks: @size, rounded up by the kernel to a
 * power of two.
 */
static uint32_t nr_ids(uint32_t size)
{
	uint32_t ids = 1;

	while (ids < size)
		ids *= 2;
	return ids;
}

int profile_stacks__new(const struct sampling *sampling, struct profile_stacks **result)
{
	struct profile_stacks *stacks = calloc(1, sizeof(*stacks));

	*result = NULL;
	if (stacks) {
		stacks->depth = depth_allowed();
		stacks->room = nr_ids(sampling->stack_map_size);
		stacks->kernel.copies = calloc(stacks->room, sizeof(struct copy));
		stacks->user.copies = calloc(stacks->room, sizeof(struct copy));
		stacks->user_too.copies = calloc(stacks->room, sizeof(struct copy));
		stacks->value = malloc(stacks->depth * sizeof(struct bpf_stack_build_id));
		stacks->frames = calloc(stacks->depth, sizeof(*stacks->frames));
		stacks->objects = mapped_objects__new(sysroots__host(), sampling->debug_dirs);
		stacks->code = kernel_code__new(clock__now());
	}
	if (!stacks || !stacks->kernel.copies || !stacks->user.copies || !stacks->user_too.copies ||
	    !stacks->value || !stacks->frames || !stacks->objects || !stacks->code) {
		profile_stacks__free(stacks);
		return -ENOMEM;
	}
	*result = stacks;
	return 0;
}

static void free_copies(struct stack_copies *copies, uint32_t room)
{
	for (uint32_t i = 0; copies->copies && i < room; i++)
		free(copies->copies[i].frames);
	free(copies->copies);
}

void profile_stacks__free(struct profile_stacks *stacks)
{
	if (!stacks)
		return;
	free_copies(&stacks->kernel, stacks->room);
	free_copies(&stacks->user, stacks->room);
	free_copies(&stacks->user_too, stacks->room);
	mapping_events__free(stacks->events);
	mapped_objects__free(stacks->objects);
	kernel_symbols__free(stacks->symbols);
	kernel_code__free(stacks->code);
	free(stacks->value);
	free(stacks->frames);
	free(stacks);
}

uint32_t profile_stacks__nr_ids(const struct profile_stacks *stacks)
{
	return stacks->room;
}

uint32_t profile_stacks__depth(const struct profile_stacks *stacks)
{
	return stacks->depth;
}

bool profile_stacks__is_limited(const struct profile_stacks *stacks)
{
	return stacks->depth < MOST_FRAMES;
}

/* ---- files ---- */

static int add_threads(struct profile_stacks *stacks, const struct threadmap *threads)
{
	pid_t last = 0;

	for (int i = 0; i < threads->nr; i++) {
		pid_t pid = threadmap__process_of(sysroots__host(), threads->tids[i]);

		if (pid <= 0 || pid == last)
			continue;
		last = pid;
		if (mapped_objects__add_process(stacks->objects, pid) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

int profile_stacks__watch(struct profile_stacks *stacks, const struct stat_config *cfg,
			  struct strbuf *why)
{
	int err = mapping_events__open(stacks->objects, stacks->code, &stacks->events);
	const char *no_proc;

	if (err && err != -ENOMEM) {
		pr_warn("the kernel does not report new mappings of processes: %s\n"
			"functions of programs that start during the profile, and of BPF programs "
			"that are unloaded, have no names",
			strerror(-err));
		err = 0;
	}
	/* for a command, the kernel's records are enough: they include the mappings of its exec */
	if (!err && cfg->threads)
		err = add_threads(stacks, cfg->threads);
	else if (!err && !stat_config__counts_command(cfg))
		err = mapped_objects__add_all(stacks->objects);
	no_proc = err ? procfs_tasks__why_not(sysroots__procfs_tasks(sysroots__host())) : "";
	return reason__set(why, err, "the files that processes have mapped cannot be found: %s",
			   *no_proc ? no_proc : strerror(-err));
}

int profile_stacks__fd(const struct profile_stacks *stacks)
{
	return stacks->events ? mapping_events__fd(stacks->events) : -1;
}

int profile_stacks__follow_cpus(struct profile_stacks *stacks, const struct cpumap *online)
{
	int err = stacks->events ? mapping_events__follow_cpus(stacks->events, online) : 0;

	if (!err || err == -ENOMEM)
		return err;
	pr_warn("cannot watch the mappings of processes on CPUs that came online: %s\n"
		"functions of programs that start there have no names",
		strerror(-err));
	return 0;
}

int profile_stacks__serve(struct profile_stacks *stacks)
{
	return stacks->events ? mapping_events__take(stacks->events) : 0;
}

/*
 * Reads the kernel's symbols. Then adds the lengths of BPF programs, because the kernel's symbols
 * do not contain these lengths. Reading takes tens of ms, so this function is called only if there
 * is a kernel stack. Returns 0 or -ENOMEM. Sets stacks->symbols_err to the result of reading the
 * symbols. If the lengths cannot be read, ignores all errors except -ENOMEM.
 */
static int read_kernel(struct profile_stacks *stacks)
{
	stacks->symbols_err =
		kernel_symbols__read(sysroots__host(), stacks->code, &stacks->symbols);
	if (stacks->symbols_err)
		return stacks->symbols_err == -ENOMEM ? -ENOMEM : 0;
	return bpf_prog_code__add_lengths(stacks->code) == -ENOMEM ? -ENOMEM : 0;
}

int profile_stacks__complete(struct profile_stacks *stacks)
{
	/* try again if a signal interrupted the previous attempt */
	bool is_due = stacks->has_kernel && !stacks->symbols &&
		      (!stacks->symbols_err || stacks->symbols_err == -EINTR);
	int err = is_due ? read_kernel(stacks) : 0;

	/* programs unloaded before the symbols were read are only in the kernel's records */
	return err ?: profile_stacks__serve(stacks);
}

struct kernel_symbols *profile_stacks__kernel_symbols(const struct profile_stacks *stacks, int *err)
{
	*err = stacks->symbols_err;
	return stacks->symbols;
}

struct mapped_objects *profile_stacks__objects(const struct profile_stacks *stacks)
{
	return stacks->objects;
}

uint64_t profile_stacks__lost_mappings(const struct profile_stacks *stacks, bool delta)
{
	return stacks->events ?
		       mapping_events__lost(stacks->events) - (delta ? stacks->lost_mark : 0) :
		       0;
}

void profile_stacks__mark(struct profile_stacks *stacks)
{
	stacks->lost_mark = profile_stacks__lost_mappings(stacks, false);
}

/* ---- stacks ---- */

/*
 * Returns whether @ip is a marker that separates kernel addresses from user addresses in the stacks
 * of precise events (linux/perf_event.h).
 */
static bool is_marker(uint64_t ip)
{
	return ip >= (uint64_t)PERF_CONTEXT_MAX;
}

/* Reads a kernel stack from stacks->value, which contains addresses and then zeros. */
static uint32_t take_kernel(struct profile_stacks *stacks)
{
	const uint64_t *ips = (const uint64_t *)(const void *)stacks->value;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < stacks->depth && ips[i]; i++)
		if (!is_marker(ips[i]))
			stacks->frames[nr++] =
				(struct code_frame){ .kind = CODE_KERNEL, .at = ips[i] };
	return nr;
}

/*
 * Reads a user stack from stacks->value. When the kernel stored a frame, it added the build id of
 * the file with the frame's code, but only if the first page of this file was in memory and no
 * thread was changing the mappings of the process. Otherwise, the frame has only an address.
 */
static uint32_t take_user(struct profile_stacks *stacks)
{
	const struct bpf_stack_build_id *ids =
		(const struct bpf_stack_build_id *)(const void *)stacks->value;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < stacks->depth && ids[i].status != BPF_STACK_BUILD_ID_EMPTY; i++) {
		struct code_frame *frame = &stacks->frames[nr];
		bool has_id = ids[i].status == BPF_STACK_BUILD_ID_VALID;

		if (!has_id && is_marker(ids[i].ip))
			continue;
		*frame = (struct code_frame){ .kind = has_id ? CODE_FILE : CODE_ADDRESS,
					      .at = ids[i].ip };
		if (has_id)
			memcpy(frame->id.bytes, ids[i].build_id, BUILD_ID_SIZE);
		nr++;
	}
	return nr;
}

static int read_one(struct profile_stacks *stacks, struct stack_copies *to, int32_t id, int map_fd,
		    uint32_t (*take)(struct profile_stacks *stacks))
{
	struct copy *copy;
	__u32 key = (__u32)id, nr;

	if (id < 0 || key >= stacks->room || to->copies[key].frames)
		return 0;
	copy = &to->copies[key];
	if (bpf_map_lookup_elem(map_fd, &key, stacks->value))
		return -errno;
	nr = take(stacks);
	copy->frames = malloc((nr + 1) * sizeof(*copy->frames));
	if (!copy->frames)
		return -ENOMEM;
	memcpy(copy->frames, stacks->frames, nr * sizeof(*copy->frames));
	copy->nr = nr;
	return 0;
}

static int read_user(struct profile_stacks *stacks, int32_t id, const struct stack_maps *maps)
{
	if (id >= 0 && (id & PROFILE_SECOND_MAP))
		return read_one(stacks, &stacks->user_too, id & ~PROFILE_SECOND_MAP, maps->user_too,
				take_user);
	return read_one(stacks, &stacks->user, id, maps->user, take_user);
}

int profile_stacks__read(struct profile_stacks *stacks, const struct sample_table *samples,
			 const struct stack_maps *maps)
{
	int err = profile_stacks__serve(stacks);

	kernel_code__set_now(stacks->code, clock__now());
	for (uint32_t i = 0; !err && i < sample_table__nr(samples); i++) {
		const struct profile_stack_key *key = sample_table__key(samples, i);

		stacks->has_kernel |= key->kernel != PROFILE_NO_STACK;
		err = read_one(stacks, &stacks->kernel, key->kernel, maps->kernel, take_kernel);
		err = err ?: read_user(stacks, key->user, maps);
	}
	return err;
}

static struct profile_stack stack_of(const struct profile_stacks *stacks,
				     const struct stack_copies *from, int32_t id)
{
	const struct copy *copy = id >= 0 && (uint32_t)id < stacks->room ? &from->copies[id] : NULL;

	if (!copy || !copy->frames)
		return (struct profile_stack){ .nr = 0 };
	return (struct profile_stack){ .nr = (int)copy->nr,
				       .frames = copy->frames,
				       .is_cut = copy->nr == stacks->depth };
}

struct profile_stack profile_stacks__kernel(const struct profile_stacks *stacks, int32_t id)
{
	return stack_of(stacks, &stacks->kernel, id);
}

struct profile_stack profile_stacks__user(const struct profile_stacks *stacks, int32_t id)
{
	if (id >= 0 && (id & PROFILE_SECOND_MAP))
		return stack_of(stacks, &stacks->user_too, id & ~PROFILE_SECOND_MAP);
	return stack_of(stacks, &stacks->user, id);
}
