/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers that are instructions and not data: see enum scope_param.
 *
 * A `const volatile` variable takes two instructions wherever it is used, and the compiler has to
 * keep its value in a register or on the stack. A parameter takes one, or none if it is an operand.
 * The verifier knows the value of both, and removes the branches that it excludes.
 *
 * Only functions that are inlined into programs can use them, because user space cannot change the
 * instructions of subprograms. Those use the variables.
 */
#ifndef PSTAT_SCOPE_PARAMS_BPF_H
#define PSTAT_SCOPE_PARAMS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "scope.h"

/* The value of SCOPE_PARAM_@name. */
#define PARAM(name)                                                   \
	({                                                            \
		__u64 value_of_param;                                 \
                                                                      \
		asm volatile("%0 = %1"                                \
			     : "=r"(value_of_param)                   \
			     : "i"(SCOPE_PARAM(SCOPE_PARAM_##name))); \
		value_of_param;                                       \
	})

/*
 * Is SCOPE_PARAM_@name + @index not 0? If it is not, this takes no instruction, otherwise one: the
 * verifier alone would not remove a jump that is never taken if its target is also reached in other
 * ways.
 */
#define HAS_AT(name, index)                                                      \
	({                                                                       \
		__label__ no, end;                                               \
		bool has = true;                                                 \
                                                                                 \
		asm goto("r5 = %0\n"                                             \
			 "if r5 == 0 goto %l[no]" ::"i"(                         \
				 SCOPE_PARAM_JUMP(SCOPE_PARAM_##name + (index))) \
			 : "r5"                                                  \
			 : no);                                                  \
		goto end;                                                        \
no:                                                                              \
		has = false;                                                     \
end:                                                                             \
		has;                                                             \
	})
#define HAS(name) HAS_AT(name, 0)

/* @to += SCOPE_PARAM_@name + @index, and so on. @to is a __u64 or a pointer. */
#define ADD_PARAM_AT(to, name, index) \
	asm("%0 += %1" : "+r"(to) : "i"(SCOPE_PARAM(SCOPE_PARAM_##name + (index))))
#define ADD_PARAM(to, name) ADD_PARAM_AT(to, name, 0)
#define MULTIPLY_BY_PARAM(to, name) \
	asm("%0 *= %1" : "+r"(to) : "i"(SCOPE_PARAM(SCOPE_PARAM_##name)))
#define MASK_WITH_PARAM(to, name) asm("%0 &= %1" : "+r"(to) : "i"(SCOPE_PARAM(SCOPE_PARAM_##name)))

#endif
