/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs that could not be counted. */
#ifndef PSTAT_COUNT_SCOPE_FAULTS_H
#define PSTAT_COUNT_SCOPE_FAULTS_H

#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct scope_links;
struct scope_list;
struct scope_programs;
struct scope_totals_table;

/*
 * Sets @lost to the number of lost runs for each cause since @before was read. Returns 0 or -errno.
 */
int scope_faults__read(const struct scope_totals_table *totals, const struct scope_links *links,
		       const uint64_t before[SCOPE_NR_LOST], uint64_t lost[SCOPE_NR_LOST]);

/* Returns the number of lost runs. */
uint64_t scope_faults__nr(const uint64_t lost[SCOPE_NR_LOST]);

/*
 * Warns if @lost is not all 0. With -v, always prints the number of counted runs, @runs. @list: the
 * scopes, which decide what the causes are. Returns the number of lost runs.
 */
uint64_t scope_faults__report(const struct scope_list *list, uint64_t runs,
			      const uint64_t lost[SCOPE_NR_LOST]);

/*
 * Returns how many beginnings of runs the kernel passed without running pstat's program, since the
 * program was loaded or the link was made. This includes runs of tasks that are not selected,
 * system calls that are not counted, and runs while counting is disabled. If one program runs at
 * both points (kprobe.session), the number includes the misses at the ends.
 */
uint64_t scope_faults__count_misses(const struct scope_programs *programs,
				    const struct scope_links *links);

#endif
