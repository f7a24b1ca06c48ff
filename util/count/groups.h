/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a session and their counts. Each event is in the group of its backend (backend.h).
 * For each group, most functions below call one function of struct counter_backend: for example,
 * groups__read() calls read. These functions process the groups in the order in which the groups
 * were opened. Each int function returns 0 or -errno, and stops at the first error, unless its
 * comment says otherwise.
 */
#ifndef PSTAT_COUNT_GROUPS_H
#define PSTAT_COUNT_GROUPS_H

#include <stdbool.h>
#include <sys/types.h>

struct cpumap;
struct evlist;
struct evsel;
struct exec_loss;
struct gate;
struct groups;
struct measurement;
struct session_sink;
struct stat_config;
struct strbuf;
struct threadmap;

/*
 * Returns the CPUs on which the PMU of @evsel can count. Returns NULL if the PMU can count on all
 * CPUs, or if @evsel is an uncore event and -C is given. The map belongs to @evsel.
 */
const struct cpumap *groups__own_cpus(const struct stat_config *cfg, const struct evsel *evsel);

/*
 * Makes the groups. @evlist, @cfg, @why and @perf_words must outlive the groups. If this function
 * or one of the functions below fails, it stores the reason in @why. If perf has a text for the
 * error, the function also stores this text in @perf_words.
 */
int groups__new(const struct evlist *evlist, const struct stat_config *cfg, struct strbuf *why,
		struct strbuf *perf_words, struct groups **groups);
/* Closes and frees all groups. @groups may be NULL. */
void groups__free(struct groups *groups);

/*
 * Sets all counts to zero and opens all events. @threads are the counted tasks, or NULL if the
 * session counts no tasks. Until the groups are closed, @sink receives the runs that --outliers
 * reports.
 */
int groups__open(struct groups *groups, const struct threadmap *threads,
		 const struct session_sink *sink);
int groups__enable(struct groups *groups);
/*
 * Moves breakpoints on symbols to the addresses that the symbols have after the exec of the command
 * @pid. The command must be stopped before its first instruction.
 */
int groups__at_exec(struct groups *groups, pid_t pid);
/*
 * Returns an fd that is readable when groups__serve() has work to do, or -1 if there is never any
 * work. The fd is valid from open to close.
 */
int groups__wake_fd(const struct groups *groups);
int groups__serve(struct groups *groups);
/*
 * Returns an fd that is readable when groups__follow_cpus() has work to do, or -1 if there is never
 * any work. The fd is valid from open to close.
 */
int groups__cpus_fd(const struct groups *groups);
/*
 * Opens events on CPUs that came online, and closes events of CPUs that went offline. Returns
 * quickly if nothing has changed.
 */
int groups__follow_cpus(struct groups *groups);
int groups__read(struct groups *groups);
/* Updates measurement.lost_runs. (groups__close() also updates it.) */
int groups__read_lost(struct groups *groups);
/*
 * Returns whether the kernel may have removed an event at an exec (exec_loss__suspects()). Must be
 * called after groups__read().
 */
bool groups__suspect_loss(const struct groups *groups, const struct exec_loss *loss);
/*
 * Corrects the counts of all events that the kernel has removed at an exec (exec_loss__apply()).
 * Must be called after groups__read().
 */
void groups__apply_loss(struct groups *groups, struct exec_loss *loss);
/*
 * If groups__need_tending() returns true, the session calls groups__tend() periodically, for
 * example to find new BPF programs.
 */
int groups__tend(struct groups *groups);
bool groups__need_tending(const struct groups *groups);
int groups__disable(struct groups *groups);
/*
 * Like groups__disable(), but the caller must not enable or read the groups again before
 * groups__close() or groups__suspend().
 */
int groups__stop(struct groups *groups);
void groups__close(struct groups *groups);
/*
 * Called instead of groups__close() if the groups will be opened again. Backends may then keep
 * events open if it takes a long time to open them.
 */
void groups__suspend(struct groups *groups);

/*
 * Returns the gate (gate.h), or NULL if there is neither --start nor --stop. The pointer is valid
 * from open to close.
 */
const struct gate *groups__gate(const struct groups *groups);

/*
 * Marks the end of an interval in the counts, the histograms, the subjects and the backends' data.
 */
void groups__mark(struct groups *groups);
/* Returns the struct in which the groups store their results. The session sets the times in it. */
struct measurement *groups__measurement(struct groups *groups);

#endif
