/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters, which replace variables: user space writes their values into the instructions of the
 * programs before it loads the programs. scope.h lists the parameters (enum scope_param).
 *
 * Each use of a `const volatile` variable takes two instructions, and a register or memory on the
 * stack. A parameter takes one instruction, or none if it is an operand of another instruction. In
 * both cases, the verifier knows the value, and removes the branches that are never taken.
 *
 * libbpf adds the instructions of subprograms to the programs only when it loads the programs,
 * after user space has written the values. So only functions that are inlined into programs can use
 * parameters, and subprograms use variables.
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
 * Returns whether the parameter SCOPE_PARAM_@name + @index is not 0. The test is two instructions:
 * one loads the parameter, and the other jumps if the parameter is 0. If it is 0, the verifier
 * removes the jump and the code that depends on the parameter, and one instruction remains. If it
 * is not 0, the jump is never taken, but the verifier does not remove the jump if its target can be
 * reached in another way. So in this case, user space removes the test (see SCOPE_PARAM_JUMP).
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

/*
 * These macros add the value of the parameter SCOPE_PARAM_@name to @to (a __u64 or a pointer),
 * multiply @to by this value, or mask @to with this value. For ADD_PARAM_AT(), the number of the
 * parameter is SCOPE_PARAM_@name + @index.
 */
#define ADD_PARAM_AT(to, name, index) \
	asm("%0 += %1" : "+r"(to) : "i"(SCOPE_PARAM(SCOPE_PARAM_##name + (index))))
#define ADD_PARAM(to, name) ADD_PARAM_AT(to, name, 0)
#define MULTIPLY_BY_PARAM(to, name) \
	asm("%0 *= %1" : "+r"(to) : "i"(SCOPE_PARAM(SCOPE_PARAM_##name)))
#define MASK_WITH_PARAM(to, name) asm("%0 &= %1" : "+r"(to) : "i"(SCOPE_PARAM(SCOPE_PARAM_##name)))

#endif
