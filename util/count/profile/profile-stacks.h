/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of samples, and the files that contain the code of user stacks. pstat copies the
 * stacks from the maps in which the kernel stores them. The ids of a sample's stacks are in struct
 * profile_stack_key. pstat knows the files that the sampled processes had mapped at the start and,
 * if the kernel reports new mappings, the files that any process mapped later.
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

/* A kernel or user stack. */
struct profile_stack {
	int nr;
	const struct code_frame *frames; /* the innermost frame first */
	/* the stack has the maximum number of frames, so outer frames may be missing */
	bool is_cut;
};

/* Makes an empty object with the sizes and debug directories of @sampling. Returns 0 or -ENOMEM. */
int profile_stacks__new(const struct sampling *sampling, struct profile_stacks **stacks);
void profile_stacks__free(struct profile_stacks *stacks);

/*
 * Returns a number that is greater than all ids in each map of struct stack_maps. The flag
 * PROFILE_SECOND_MAP is not part of these ids.
 */
uint32_t profile_stacks__nr_ids(const struct profile_stacks *stacks);
/*
 * Returns the maximum number of frames of a stack: kernel.perf_event_max_stack, but at most 127.
 * The values of the maps must have room for this number of frames.
 */
uint32_t profile_stacks__depth(const struct profile_stacks *stacks);
/* Returns whether pstat could copy more frames if kernel.perf_event_max_stack were higher. */
bool profile_stacks__is_limited(const struct profile_stacks *stacks);

/*
 * Starts to watch for new mappings in all processes. Then finds the files that the processes
 * selected by @cfg have already mapped. If the kernel does not report new mappings, warns and
 * continues. Call this before the first sample. Returns 0, or -errno with the reason in @why.
 */
int profile_stacks__watch(struct profile_stacks *stacks, const struct stat_config *cfg,
			  struct strbuf *why);
/*
 * Returns an fd that is readable when profile_stacks__serve() should be called, or -1 if the kernel
 * does not report mappings.
 */
int profile_stacks__fd(const struct profile_stacks *stacks);
/*
 * From this call on, watches for new mappings only on the CPUs in @online. Returns 0 or -ENOMEM.
 * Warns about other errors.
 */
int profile_stacks__follow_cpus(struct profile_stacks *stacks, const struct cpumap *online);
/* Processes the mapping records that have arrived. Returns 0 or -ENOMEM. */
int profile_stacks__serve(struct profile_stacks *stacks);

/*
 * The fds of the maps in which the kernel stores stacks. There are two maps of user stacks:
 * `user_too` contains the stacks whose ids have the flag PROFILE_SECOND_MAP.
 */
struct stack_maps {
	int kernel, user, user_too;
};

/*
 * Calls profile_stacks__serve(). Then copies the stacks to which the keys of @samples (struct
 * profile_stack_key) refer, unless they were copied before. Returns 0 or -errno. Prints no message.
 */
int profile_stacks__read(struct profile_stacks *stacks, const struct sample_table *samples,
			 const struct stack_maps *maps);

/*
 * These functions return the kernel or user stack with the id @id, or an empty stack if the stack
 * was not copied.
 */
struct profile_stack profile_stacks__kernel(const struct profile_stacks *stacks, int32_t id);
struct profile_stack profile_stacks__user(const struct profile_stacks *stacks, int32_t id);

/*
 * Call this after profile_stacks__read() and before looking up the names of frames. Processes the
 * mapping records that have arrived. When the samples first include kernel stacks, this function
 * also reads the symbols of the kernel and of BPF programs. Returns 0 or -ENOMEM.
 */
int profile_stacks__complete(struct profile_stacks *stacks);
/*
 * Returns the kernel's symbols. If there are no kernel stacks, returns NULL and sets *@err to 0. If
 * the symbols cannot be read, returns NULL and sets *@err to an error for
 * kernel_symbols__strerror().
 */
struct kernel_symbols *profile_stacks__kernel_symbols(const struct profile_stacks *stacks,
						      int *err);
struct mapped_objects *profile_stacks__objects(const struct profile_stacks *stacks);
/*
 * Returns the number of mapping records that have been lost since the start. If @delta is set,
 * returns the number since profile_stacks__mark() instead.
 */
uint64_t profile_stacks__lost_mappings(const struct profile_stacks *stacks, bool delta);
void profile_stacks__mark(struct profile_stacks *stacks);

#endif
