/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters: numbers in the instructions of the programs, instead of variables. scope.h lists the
 * parameters (enum scope_param).
 *
 * Each use of a `const volatile` variable takes two instructions, and a register or memory on the
 * stack. A parameter takes one instruction, or none if it is an operand of another instruction. The
 * verifier knows the values of variables and of parameters, and removes the branches that are never
 * taken.
 *
 * User space cannot change the instructions of subprograms. So only functions that are inlined into
 * programs can use parameters, and subprograms use variables.
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
 * Returns whether the parameter SCOPE_PARAM_@name + @index is not 0. If it is not 0, user space
 * removes the test (see SCOPE_PARAM_JUMP), so that the test takes no instruction. This removal is
 * necessary, because the verifier keeps a jump whose target other instructions can reach, even if
 * the jump is never taken. If the parameter is 0, the test takes one instruction.
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
