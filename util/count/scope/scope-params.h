/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the parameters of a session into the instructions of its programs. */
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

/* Sets the parameters that depend on the words of a reading. */
void scope_params__set_words(uint32_t params[SCOPE_NR_PARAMS], const struct scope_words *words,
			     uint32_t nr_cpus, uint32_t depth);
/* Sets all parameters that depend on @shape. */
void scope_params__set(uint32_t params[SCOPE_NR_PARAMS], const struct scope_shape *shape,
		       uint32_t depth);
/*
 * Replaces the operands SCOPE_PARAM(n) and SCOPE_PARAM_JUMP(n) in @insns. Returns the number of
 * replaced operands, or -ENOMEM.
 */
int scope_params__replace(struct bpf_insn *insns, size_t nr,
			  const uint32_t params[SCOPE_NR_PARAMS]);
/*
 * Replaces the operands in all programs of @object, which is open but not yet loaded. Returns 0 or
 * -errno.
 */
int scope_params__write(struct bpf_object *object, const uint32_t params[SCOPE_NR_PARAMS]);
/*
 * Call this after loading @object. Returns false if a program still contains SCOPE_PARAM(n),
 * because a subprogram uses a parameter.
 */
bool scope_params__are_written(const struct bpf_object *object);

#endif
