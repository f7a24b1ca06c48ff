/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks, copied by id (struct profile_stack_key) from the kernel's maps, and the files that
 * contain the frames of user stacks. pstat knows the files that the sampled processes had mapped at
 * the start, and all files that any process mapped later.
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

/* The kernel or user stack of a key, the innermost frame first. */
struct profile_stack {
	int nr;
	const struct code_frame *frames;
	bool is_cut; /* frames are missing, because of the limit on the depth */
};

/* Makes an empty object with the sizes and debug directories of @sampling. */
int profile_stacks__new(const struct sampling *sampling, struct profile_stacks **stacks);
void profile_stacks__free(struct profile_stacks *stacks);

/* Returns a number that is greater than all ids in one of the kernel's maps. */
uint32_t profile_stacks__nr_ids(const struct profile_stacks *stacks);
/*
 * Returns the maximum number of frames of a stack (kernel.perf_event_max_stack), for which the maps
 * must have room.
 */
uint32_t profile_stacks__depth(const struct profile_stacks *stacks);
/* Returns whether stacks could have more frames with a higher kernel.perf_event_max_stack. */
bool profile_stacks__is_limited(const struct profile_stacks *stacks);

/*
 * Reads the mappings of the processes that @cfg selects, and from then on watches the mappings of
 * all processes. Call this before the first sample. Returns 0, or -errno with the reason in @why.
 */
int profile_stacks__watch(struct profile_stacks *stacks, const struct stat_config *cfg,
			  struct strbuf *why);
/*
 * Returns an fd that is readable when profile_stacks__serve() has work to do, or -1 if there is
 * never any work.
 */
int profile_stacks__fd(const struct profile_stacks *stacks);
/*
 * Implements cpus_changed of struct counter_backend. Returns 0 or -ENOMEM. Warns about other
 * errors.
 */
int profile_stacks__follow_cpus(struct profile_stacks *stacks, const struct cpumap *online);
/* Processes the records of mappings that have arrived. Returns 0 or -ENOMEM. */
int profile_stacks__serve(struct profile_stacks *stacks);

/* The fds of the kernel's maps of stacks. */
struct stack_maps {
	int kernel, user, user_too;
};

/*
 * Copies the stacks to which the keys of @samples (struct profile_stack_key) refer, unless they
 * were copied before. Returns 0, or -errno without a reason.
 */
int profile_stacks__read(struct profile_stacks *stacks, const struct sample_table *samples,
			 const struct stack_maps *maps);

/* Return the stack with this id, or an empty stack if it was not copied. */
struct profile_stack profile_stacks__kernel(const struct profile_stacks *stacks, int32_t id);
struct profile_stack profile_stacks__user(const struct profile_stacks *stacks, int32_t id);

/*
 * Processes the records that have arrived since the stacks were read. Afterwards, all names for the
 * stacks can be found. If there are kernel stacks, the first call also reads the symbols of the
 * kernel and of BPF programs. Returns 0 or -ENOMEM.
 */
int profile_stacks__complete(struct profile_stacks *stacks);
/*
 * Returns the kernel's symbols. Returns NULL if there are no kernel stacks (*@err is 0), or if the
 * symbols cannot be read (*@err is an error for kernel_symbols__strerror()).
 */
struct kernel_symbols *profile_stacks__kernel_symbols(const struct profile_stacks *stacks,
						      int *err);
struct mapped_objects *profile_stacks__objects(const struct profile_stacks *stacks);
/*
 * Returns the number of mapping records that have been lost since the start or, with @delta, since
 * profile_stacks__mark().
 */
uint64_t profile_stacks__lost_mappings(const struct profile_stacks *stacks, bool delta);
void profile_stacks__mark(struct profile_stacks *stacks);

#endif
