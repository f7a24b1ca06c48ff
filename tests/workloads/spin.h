/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of the workloads that use a CPU. */
#ifndef PSTAT_WORKLOADS_SPIN_H
#define PSTAT_WORKLOADS_SPIN_H

#include <stdio.h>
#include <stdlib.h>

/* Executes exactly two instructions in user space for each turn, with every compiler. */
static inline void spin(unsigned long turns)
{
	if (!turns)
		return;
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#else
#error "say in this architecture's assembly how to count @turns down in two instructions a turn"
#endif
}

/* Parses a number on the command line of @program. Exits with 2 if @text is not a number. */
static inline unsigned long parse_number(const char *program, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-') {
		fprintf(stderr, "%s: no number: %s\n", program, text);
		exit(2);
	}
	return n;
}

#endif
