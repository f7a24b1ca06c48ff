/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For libraries that are preloaded into a program and replace some of its system calls: syscall(3).
 * The C file that includes this defines answer_syscall().
 */
#ifndef PSTAT_TESTS_PRELOAD_H
#define PSTAT_TESTS_PRELOAD_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>

#define SYSCALL_ARGS 6

/*
 * Returns true if the library answers the call itself. Then *@result is what syscall(3) returns,
 * with errno set. @caller is the address after the call.
 */
static bool answer_syscall(long number, const long *arg, void *caller, long *result);

typedef long syscall_fn(long number, ...);

/* The C library's function, which the library replaces. */
static syscall_fn *real_syscall(void)
{
	static syscall_fn *real;

	if (!real)
		real = (syscall_fn *)dlsym(RTLD_NEXT, "syscall");
	return real;
}

long syscall(long number, ...)
{
	long arg[SYSCALL_ARGS], result;
	va_list args;

	va_start(args, number);
	for (int i = 0; i < SYSCALL_ARGS; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (answer_syscall(number, arg, __builtin_return_address(0), &result))
		return result;
	return real_syscall()(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

#endif
