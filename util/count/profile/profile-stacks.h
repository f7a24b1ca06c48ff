/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks behind the ids in struct profile_stack_key, copied from the kernel's maps as they come, and the files that the frames of
 * users' stacks are in: those that the sampled processes had mapped at the start, and all that is mapped while samples are taken.
 */
#ifndef PSTAT_COUNT_PROFILE_STACKS_H
#define PSTAT_COUNT_PROFILE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/code-names.h"

struct cpumap;
struct kernel_symbols;
struct mapped_objects;
struct profile_stacks;
struct sample_table;
struct sampling;
struct stat_config;

/* Where the samples of a key were, the innermost frame first. */
struct profile_stack {
	int nr;
	const struct code_frame *frames;
	bool is_cut; /* it goes on: no more frames are taken than the kernel's limit */
};

/* For the sizes and debug directories of @sampling. 0 and *@stacks, or -errno, told. */
int profile_stacks__new(const struct sampling *sampling, struct profile_stacks **stacks);
void profile_stacks__free(struct profile_stacks *stacks);

/* Ids in the kernel's maps are below. */
uint32_t profile_stacks__nr_ids(const struct profile_stacks *stacks);
/* How many frames a stack has at most (kernel.perf_event_max_stack): the kernel's maps have to be made for that. */
uint32_t profile_stacks__depth(const struct profile_stacks *stacks);
/* Would they have more with a higher kernel.perf_event_max_stack? */
bool profile_stacks__is_limited(const struct profile_stacks *stacks);

/*
 * Learns what the processes that @cfg means have mapped, and from then on what anyone maps. To be called before the first sample is
 * taken. 0 or -errno, told.
 */
int profile_stacks__watch(struct profile_stacks *stacks, const struct stat_config *cfg);
/* Readable when profile_stacks__serve() has something to do; -1: never. */
int profile_stacks__fd(const struct profile_stacks *stacks);
/*
 * Implements cpus_changed of struct counter_backend. Returns 0, or -ENOMEM without logging. All other problems are
 * logged as warnings.
 */
int profile_stacks__follow_cpus(struct profile_stacks *stacks, const struct cpumap *online);
/* 0 or -ENOMEM. */
int profile_stacks__serve(struct profile_stacks *stacks);

/* The fds of the kernel's maps. */
struct stack_maps {
	int kernel, user, user_too;
};

/* Copies the stacks of all keys (struct profile_stack_key) of @samples that are not there yet. 0 or -errno, not told. */
int profile_stacks__read(struct profile_stacks *stacks, const struct sample_table *samples,
			 const struct stack_maps *maps);

/* Of an id >= 0 that was read. */
struct profile_stack profile_stacks__kernel(const struct profile_stacks *stacks, int32_t id);
struct profile_stack profile_stacks__user(const struct profile_stacks *stacks, int32_t id);

/*
 * The kernel's functions, and what BPF programs were loaded meanwhile. 0, or why they are not known: kernel_symbols__strerror().
 * @stacks must outlive them.
 */
int profile_stacks__read_kernel(struct profile_stacks *stacks, struct kernel_symbols **symbols);
struct mapped_objects *profile_stacks__objects(const struct profile_stacks *stacks);
/* How many mappings are not known, as too much came at once: since the start, or (@delta) since profile_stacks__mark(). */
uint64_t profile_stacks__lost_mappings(const struct profile_stacks *stacks, bool delta);
void profile_stacks__mark(struct profile_stacks *stacks);

#endif
