/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * USDT points, in the format of SystemTap's <sys/sdt.h>. Each place passes its line number as the
 * only argument. See https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
 */
#ifndef TESTS_WORKLOADS_USDT_H
#define TESTS_WORKLOADS_USDT_H

/* A place in the code that passes the point PROVIDER:NAME. SEMAPHORE: a variable's name, or 0. */
#define USDT_PLACE(provider, name, semaphore) USDT_PLACE_AT(provider, name, semaphore, __LINE__)
#define USDT_PLACE_AT(provider, name, semaphore, line) \
	USDT_PLACE_OF(provider, name, semaphore, line)
#define USDT_PLACE_OF(provider, name, semaphore, line)                    \
	__asm__ volatile("990:\tnop\n"                                    \
			 "\t.pushsection .note.stapsdt,\"\",\"note\"\n"   \
			 "\t.balign 4\n"                                  \
			 "\t.4byte 992f-991f, 994f-993f, 3\n"             \
			 "991:\t.asciz \"stapsdt\"\n"                     \
			 "992:\t.balign 4\n"                              \
			 "993:\t.8byte 990b, usdt_base, " #semaphore "\n" \
			 "\t.asciz \"" #provider "\", \"" #name "\"\n"    \
			 "\t.asciz \"4@$" #line "\"\n"                    \
			 "994:\t.balign 4\n"                              \
			 "\t.popsection\n")

/* Makes the section whose address the notes of all places contain. Use this once in a program. */
#define USDT_BASE()                                                 \
	__asm__("\t.pushsection .stapsdt.base,\"a\",\"progbits\"\n" \
		"\t.hidden usdt_base\n\t.globl usdt_base\n"         \
		"usdt_base:\t.space 1\n\t.size usdt_base, 1\n\t.popsection\n")

/* Defines a semaphore: it is greater than 0 while a probe is attached to a point that uses it. */
#define USDT_SEMAPHORE(variable)              \
	__extension__ unsigned short variable \
		__attribute__((unused, used, visibility("hidden"), section(".probes")))

#endif
