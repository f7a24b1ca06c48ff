/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own statistics of BPF programs: the number of runs and their total time. The kernel
 * keeps these statistics if the sysctl kernel.bpf_stats_enabled is set, or (since Linux 5.8) while
 * a process has an fd of BPF_ENABLE_STATS open. pstat uses them for programs to which it cannot
 * attach fentry and fexit: programs without BTF, interpreted programs, and programs that the kernel
 * does not allow to be traced. The statistics always contain the runs of the whole program, on all
 * CPUs and in all tasks.
 *
 * prog_stats__use ──► prog_stats_keeper: enables the statistics
 *                 ──► a struct prog_stats for each program: start, stop, read
 */
#ifndef PSTAT_COUNT_PROG_STATS_H
#define PSTAT_COUNT_PROG_STATS_H

#include <stdbool.h>
#include <stdint.h>

struct backend_group;
struct bpf_prog;
struct evsel;
struct prog_stats;
struct prog_stats_keeper;
struct stat_config;

/* Says for which programs of a session the statistics may be used. */
enum prog_stats_use {
	PROG_STATS_NEVER, /* for no program */
	/*
	 * for all programs or for none: the statistics do not have all events of the session, and
	 * no event may be counted in only some of the programs (see prog_list__check_stats())
	 */
	PROG_STATS_ALONE,
	PROG_STATS_ANYWHERE /* for any program */
};

/*
 * Decides for which programs the statistics may be used. Sets *@why_not to the reason if the result
 * is PROG_STATS_NEVER, otherwise to NULL.
 */
enum prog_stats_use prog_stats__use(const struct backend_group *group,
				    const struct stat_config *cfg, const char **why_not);
/*
 * Returns whether the statistics can count @evsel. They can count run_cnt, task-clock and
 * cpu-clock.
 */
bool prog_stats__have(const struct evsel *evsel);
/*
 * Call this after prog_check() has refused @prog with @err. Returns whether the statistics can
 * count @prog. They cannot count it if the user selected only one function of @prog, or if @err is
 * not specific to fentry.
 */
bool prog_stats__can(const struct bpf_prog *prog, int err);

/*
 * Enables the kernel's statistics, and makes *@keeper. The statistics stay enabled at least until
 * the keeper is freed or pstat ends. Does nothing if *@keeper is not NULL. Returns 0, or -errno.
 * With -v, prints the reason for an error.
 */
int prog_stats_keeper__start(struct prog_stats_keeper **keeper);
void prog_stats_keeper__free(struct prog_stats_keeper *keeper);

/*
 * The sums over all periods in which a program was counted. A period lasts from prog_stats__start()
 * to prog_stats__stop().
 */
struct prog_stats_sum {
	uint64_t runs, ns;
	/* runs that the kernel skipped, because the program was already running on the same CPU */
	uint64_t missed;
};

/* @why is the reason why fentry and fexit cannot be attached. Returns NULL if memory ran out. */
struct prog_stats *prog_stats__new(const char *why);
void prog_stats__free(struct prog_stats *stats);
const char *prog_stats__why(const struct prog_stats *stats);

void prog_stats__start(struct prog_stats *stats, const struct bpf_prog *prog);
void prog_stats__stop(struct prog_stats *stats, const struct bpf_prog *prog);
struct prog_stats_sum prog_stats__read(const struct prog_stats *stats, const struct bpf_prog *prog);

#endif
