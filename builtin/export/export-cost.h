/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs of this session cost, for example per context switch. The kernel measures
 * this only while kernel.bpf_stats_enabled is 1.
 */
#ifndef PSTAT_BUILTIN_EXPORT_COST_H
#define PSTAT_BUILTIN_EXPORT_COST_H

struct export_own;
struct subjects;

/*
 * Stores the run times of the BPF programs that this process holds in the array of @own, which
 * grows. Leaves out the programs in @subjects, because they are counted, and are not pstat's own.
 * @subjects may be NULL. Stores none if the kernel does not measure run times, or if they cannot be
 * read. Free the array with free(3).
 */
void export_cost__read(struct export_own *own, const struct subjects *subjects);

#endif
