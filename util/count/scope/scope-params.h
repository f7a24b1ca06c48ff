/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the parameters of a session into the instructions of its BPF programs. A parameter (enum
 * scope_param) is a number that does not change during the session.
 */
#ifndef PSTAT_COUNT_SCOPE_PARAMS_H
#define PSTAT_COUNT_SCOPE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct bpf_insn;
struct bpf_object;
struct scope_shape;

/*
 * Sets the parameters that depend only on @words, @nr_cpus (largest possible CPU id + 1) and @depth
 * (the maximum number of runs that a thread can have in progress).
 */
void scope_params__set_words(uint32_t params[SCOPE_NR_PARAMS], const struct scope_words *words,
			     uint32_t nr_cpus, uint32_t depth);
/* Calls scope_params__set_words(), and also sets the other parameters that depend on @shape. */
void scope_params__set(uint32_t params[SCOPE_NR_PARAMS], const struct scope_shape *shape,
		       uint32_t depth);
/*
 * Replaces the operands SCOPE_PARAM(n) and SCOPE_PARAM_JUMP(n) in the @nr instructions @insns with
 * params[n]. Returns the number of replaced operands, or -ENOMEM.
 */
int scope_params__replace(struct bpf_insn *insns, size_t nr,
			  const uint32_t params[SCOPE_NR_PARAMS]);
/*
 * Calls scope_params__replace() for all programs of @object, which must be open but not loaded yet.
 * Returns 0 or -errno.
 */
int scope_params__write(struct bpf_object *object, const uint32_t params[SCOPE_NR_PARAMS]);
/*
 * Call this after loading @object. Returns false if a program still contains the operand
 * SCOPE_PARAM(n) of a parameter. This happens if a subprogram uses the parameter, because libbpf
 * adds the instructions of subprograms only when it loads the object, after scope_params__write().
 */
bool scope_params__are_written(const struct bpf_object *object);

#endif
