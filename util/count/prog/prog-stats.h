/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own statistics of BPF programs: the number of runs and their time (kernel.bpf_stats_enabled; Linux 5.8 lets a process
 * enable them by an fd). They stand in for fentry and fexit where these cannot be attached to a program: it has no BTF, it is
 * interpreted, or the kernel refuses them. The statistics are of whole programs, all CPUs and all tasks.
 *
 *	prog_stats__why_not ──► prog_stats_keeper: the kernel keeps them ──► prog_stats: of one program, start, stop, read
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

/* For which programs of a session the statistics may stand in. */
enum prog_stats_use {
	PROG_STATS_NEVER,   /* for none */
	PROG_STATS_ALONE,   /* for all or for none, as there are events that they do not have */
	PROG_STATS_ANYWHERE /* for any */
};

/* @why_not is what stands against it, in words, for PROG_STATS_NEVER. */
enum prog_stats_use prog_stats__use(const struct backend_group *group, const struct stat_config *cfg,
				    const char **why_not);
/* Do they have @evsel? */
bool prog_stats__have(const struct evsel *evsel);
/* Are there statistics of what @prog means, which prog_check() refused with @err for a reason that does not concern them? */
bool prog_stats__can(const struct bpf_prog *prog, int err);

/* Has the kernel keep statistics until the keeper is freed or pstat ends. Nothing to do when *@keeper is not NULL. 0 or -errno, under -v. */
int prog_stats_keeper__start(struct prog_stats_keeper **keeper);
void prog_stats_keeper__free(struct prog_stats_keeper *keeper);

/* A program's statistics are counted from prog_stats__start() to prog_stats__stop(), and on from there. */
struct prog_stats_sum {
	uint64_t runs, ns;
	uint64_t missed; /* runs that the kernel left out, because the program was running on that CPU already */
};

/* @why: fentry and fexit cannot be attached. NULL without memory. */
struct prog_stats *prog_stats__new(const char *why);
void prog_stats__free(struct prog_stats *stats);
const char *prog_stats__why(const struct prog_stats *stats);

void prog_stats__start(struct prog_stats *stats, const struct bpf_prog *prog);
void prog_stats__stop(struct prog_stats *stats, const struct bpf_prog *prog);
struct prog_stats_sum prog_stats__read(const struct prog_stats *stats, const struct bpf_prog *prog);

#endif
