/* SPDX-License-Identifier: GPL-2.0-only */
/* Lost runs: runs that pstat could not count. enum scope_lost lists the causes. */
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
 * For each cause (enum scope_lost), sets @lost[cause] to the number of runs that have been lost
 * since scope_totals__lost() set @before. Returns 0 or -errno.
 */
int scope_faults__read(const struct scope_totals_table *totals, const struct scope_links *links,
		       const uint64_t before[SCOPE_NR_LOST], uint64_t lost[SCOPE_NR_LOST]);

/* Returns the sum of the elements of @lost. */
uint64_t scope_faults__nr(const uint64_t lost[SCOPE_NR_LOST]);

/*
 * Prints the number of counted runs (@runs) and, for each cause, the number of lost runs. Prints a
 * warning if any run was lost; otherwise, prints only with -v. The descriptions of the causes
 * depend on the scopes in @list. Returns the number of lost runs.
 */
uint64_t scope_faults__report(const struct scope_list *list, uint64_t runs,
			      const uint64_t lost[SCOPE_NR_LOST]);

/*
 * Returns the number of misses: how many times the kernel has skipped a program at the beginning of
 * a run. The misses of a program are counted from when it was loaded, and those of a link from when
 * it was attached. The number can be too high: it includes misses in tasks that are not selected,
 * at system calls that are not counted, and while counting is disabled. If the same program runs at
 * both points of a scope (kprobe.session), the number also includes the misses at the ends of runs.
 */
uint64_t scope_faults__count_misses(const struct scope_programs *programs,
				    const struct scope_links *links);

#endif
