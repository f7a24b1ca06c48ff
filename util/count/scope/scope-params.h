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
 * Sets the parameters that depend only on @words, on @nr_cpus (the largest possible CPU id + 1) and
 * on @depth (the maximum number of runs that a thread can have in progress).
 */
void scope_params__set_words(uint32_t params[SCOPE_NR_PARAMS], const struct scope_words *words,
			     uint32_t nr_cpus, uint32_t depth);
/*
 * Sets the parameters that scope_params__set_words() sets, and the other parameters that depend on
 * @shape.
 */
void scope_params__set(uint32_t params[SCOPE_NR_PARAMS], const struct scope_shape *shape,
		       uint32_t depth);
/*
 * In the @nr instructions @insns, replaces each operand SCOPE_PARAM(n) or SCOPE_PARAM_JUMP(n) with
 * params[n]. If params[n] is not 0, the jump that belongs to SCOPE_PARAM_JUMP(n) is never taken. In
 * this case, the function also removes this jump, unless other instructions can be reached only
 * through it. Returns the number of replaced operands, or -ENOMEM.
 */
int scope_params__replace(struct bpf_insn *insns, size_t nr,
			  const uint32_t params[SCOPE_NR_PARAMS]);
/*
 * Replaces the operands in all programs of @object, as scope_params__replace() does. @object must
 * be open, but not loaded yet. Returns 0 or -errno.
 */
int scope_params__write(struct bpf_object *object, const uint32_t params[SCOPE_NR_PARAMS]);
/*
 * Call this after loading @object. Returns false if a program still contains an operand that should
 * have been replaced. This happens if a subprogram uses a parameter, because libbpf adds the
 * instructions of subprograms only when it loads the object, after scope_params__write() was
 * called.
 */
bool scope_params__are_written(const struct bpf_object *object);

#endif
