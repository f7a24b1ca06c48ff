/* SPDX-License-Identifier: GPL-2.0-only */
/* A function whose number of instructions is known, for tests of --scope. */
#ifndef TESTS_WORKLOADS_SCOPE_WORK_H
#define TESTS_WORKLOADS_SCOPE_WORK_H

/*
 * work(loops) executes 2 × loops + FIXED instructions, including its return. On arm64, all
 * functions begin with the same instruction (BTI C), as in most distributions. If they began with
 * different instructions, the kernel would copy the probed instruction at each call.
 */
#ifdef __aarch64__
#define FIXED 4
#define SAME_BEGINNING __attribute__((target("branch-protection=bti")))
asm(".text\n.globl work\n.type work, %function\n"
    "work: hint #34\n"
    "nop\n"
    "mov x9, x0\n"
    "1: subs x9, x9, #1\n"
    "b.ne 1b\n"
    "ret\n"
    ".size work, . - work\n");
#else
#define FIXED 4
#define SAME_BEGINNING
asm(".text\n.globl work\n.type work, @function\n"
    "work: push %rbp\n"
    "mov %rdi, %rax\n"
    "1: dec %rax\n"
    "jne 1b\n"
    "pop %rbp\n"
    "ret\n"
    ".size work, . - work\n");
#endif

void work(long loops);

/* gcc may call a copy of the function instead of the function; clang makes no such copies */
#ifdef __clang__
#define FUNCTION static SAME_BEGINNING __attribute__((noinline, used))
#else
#define FUNCTION static SAME_BEGINNING __attribute__((noinline, noclone, used))
#endif

#endif
