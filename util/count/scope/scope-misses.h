/* SPDX-License-Identifier: GPL-2.0-only */
/* Beginnings of runs that pstat's programs did not see. */
#ifndef PSTAT_COUNT_SCOPE_MISSES_H
#define PSTAT_COUNT_SCOPE_MISSES_H

#include <stdint.h>

struct scope_links;
struct scope_programs;

/*
 * Returns how often the kernel passed the beginning of a run without running pstat's program, since
 * the program was loaded or the link was made. This includes runs of tasks that are not selected,
 * and system calls that are not counted. If one program runs at both points (kprobe.session), its
 * misses at the end are included too.
 */
uint64_t scope_misses__count(const struct scope_programs *programs,
			     const struct scope_links *links);

#endif
