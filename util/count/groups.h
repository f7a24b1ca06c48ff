/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a session, each in the group of its backend, and their counts. Each function below
 * calls the groups in the same order, and stops at the first error.
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
 * Returns the CPUs to which the PMU of @evsel limits it, or NULL if the event is counted on all
 * CPUs of the target. The map belongs to @evsel.
 */
const struct cpumap *groups__own_cpus(const struct stat_config *cfg, const struct evsel *evsel);

/*
 * Makes the groups. All arguments must outlive them. The functions below store the reason for an
 * error in @why, and store in @perf_words the text that perf prints for this error.
 */
int groups__new(const struct evlist *evlist, const struct stat_config *cfg, struct strbuf *why,
		struct strbuf *perf_words, struct groups **groups);
/* Closes all groups. @groups may be NULL. */
void groups__free(struct groups *groups);

/*
 * Opens all events for @threads, or for CPUs if @threads is NULL. Sets the counts to zero. @sink
 * receives single runs until the groups are closed.
 */
int groups__open(struct groups *groups, const struct threadmap *threads,
		 const struct session_sink *sink);
int groups__enable(struct groups *groups);
/*
 * Informs the backends that the command @pid has executed its file and is stopped before its first
 * instruction.
 */
int groups__at_exec(struct groups *groups, pid_t pid);
/*
 * Returns an fd that is readable when groups__serve() has work to do, or -1 if there is never any.
 * Valid from open to close.
 */
int groups__wake_fd(const struct groups *groups);
int groups__serve(struct groups *groups);
/*
 * Returns an fd that is readable when groups__follow_cpus() has work to do, or -1 if there is never
 * any. Valid from open to close.
 */
int groups__cpus_fd(const struct groups *groups);
/*
 * Opens events on CPUs that came online, and closes events of CPUs that went offline. Fast if no
 * CPU came online or went offline.
 */
int groups__follow_cpus(struct groups *groups);
int groups__read(struct groups *groups);
/* Updates the number of lost runs in the measurement. groups__close() does this as well. */
int groups__read_lost(struct groups *groups);
/*
 * Does exec_loss__suspects() return true for any counts that an exec can affect? Call this after a
 * reading.
 */
bool groups__suspect_loss(const struct groups *groups, const struct exec_loss *loss);
/* Calls exec_loss__apply() for all counts that an exec can affect. Call this after a reading. */
void groups__apply_loss(struct groups *groups, struct exec_loss *loss);
/* Call this periodically if groups__need_tending() returns true. */
int groups__tend(struct groups *groups);
bool groups__need_tending(const struct groups *groups);
int groups__disable(struct groups *groups);
/* Like groups__disable(), but the next call must be groups__close(). */
int groups__stop(struct groups *groups);
void groups__close(struct groups *groups);
/*
 * Like groups__close(), but the groups will be opened again. Backends may keep events open that
 * take long to open.
 */
void groups__suspend(struct groups *groups);

/*
 * Returns the gate of the points of --start and --stop, or NULL without them. Valid from open to
 * close.
 */
const struct gate *groups__gate(const struct groups *groups);

/* Calls counts__mark() for all counts. */
void groups__mark(struct groups *groups);
/* Returns the measurement. The session sets the times in it. */
struct measurement *groups__measurement(struct groups *groups);

#endif
