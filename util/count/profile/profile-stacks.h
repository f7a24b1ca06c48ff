/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks that the ids in struct profile_stack_key stand for, copied from the kernel's maps, and
 * the files that contain the frames of user stacks: the files that the sampled processes had mapped
 * at the start, and all that are mapped while samples are taken.
 */
#ifndef PSTAT_COUNT_PROFILE_STACKS_H
#define PSTAT_COUNT_PROFILE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/symbols/code-names.h"

struct cpumap;
struct kernel_symbols;
struct mapped_objects;
struct profile_stacks;
struct sample_table;
struct sampling;
struct stat_config;
struct strbuf;

/* The stack of the samples of a key, the innermost frame first. */
struct profile_stack {
	int nr;
	const struct code_frame *frames;
	bool is_cut; /* frames are missing, because of the kernel's limit */
};

/* Uses the sizes and debug directories of @sampling. */
int profile_stacks__new(const struct sampling *sampling, struct profile_stacks **stacks);
void profile_stacks__free(struct profile_stacks *stacks);

/* All ids in the kernel's maps are less than this. */
uint32_t profile_stacks__nr_ids(const struct profile_stacks *stacks);
/*
 * The maximum number of frames of a stack (kernel.perf_event_max_stack), which the maps must have
 * room for.
 */
uint32_t profile_stacks__depth(const struct profile_stacks *stacks);
/* Would stacks have more frames with a higher kernel.perf_event_max_stack? */
bool profile_stacks__is_limited(const struct profile_stacks *stacks);

/*
 * Reads the mappings of the processes that @cfg selects, and then watches the mappings of all
 * processes. Call it before the first sample.
 */
int profile_stacks__watch(struct profile_stacks *stacks, const struct stat_config *cfg,
			  struct strbuf *why);
/* Readable when profile_stacks__serve() has something to do; -1: never. */
int profile_stacks__fd(const struct profile_stacks *stacks);
/*
 * Implements cpus_changed of struct counter_backend. Returns 0 or -ENOMEM. All other problems are
 * logged as warnings.
 */
int profile_stacks__follow_cpus(struct profile_stacks *stacks, const struct cpumap *online);
/* Processes the mappings that have arrived. Returns 0 or -ENOMEM. */
int profile_stacks__serve(struct profile_stacks *stacks);

/* The fds of the kernel's maps. */
struct stack_maps {
	int kernel, user, user_too;
};

/*
 * Copies the missing stacks of all keys (struct profile_stack_key) of @samples. Returns 0 or -errno
 * without a reason.
 */
int profile_stacks__read(struct profile_stacks *stacks, const struct sample_table *samples,
			 const struct stack_maps *maps);

/* The stack of an id >= 0 that was read. */
struct profile_stack profile_stacks__kernel(const struct profile_stacks *stacks, int32_t id);
struct profile_stack profile_stacks__user(const struct profile_stacks *stacks, int32_t id);

/*
 * Processes what has arrived since the stacks were read, so that all of their names can be found
 * from now on. If there are kernel stacks, reads the symbols of the kernel and of BPF programs, the
 * first time that this is called. Returns 0 or -ENOMEM.
 */
int profile_stacks__complete(struct profile_stacks *stacks);
/*
 * Returns NULL if the functions of the kernel are unknown, or if there are no kernel stacks. Then
 * sets *@err to 0, or to an error for kernel_symbols__strerror().
 */
struct kernel_symbols *profile_stacks__kernel_symbols(const struct profile_stacks *stacks,
						      int *err);
struct mapped_objects *profile_stacks__objects(const struct profile_stacks *stacks);
/*
 * The number of mappings that were lost because too many came at once, since the start or (@delta)
 * since profile_stacks__mark().
 */
uint64_t profile_stacks__lost_mappings(const struct profile_stacks *stacks, bool delta);
void profile_stacks__mark(struct profile_stacks *stacks);

#endif
