/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the counters of a session on all CPUs that are online: which of them no longer count, and who repairs them. Several sessions may
 * follow one leader; each repairs its own events, under the lock that they also make leaders under, and finds nothing left to do where
 * another was faster.
 */
#ifndef PSTAT_COUNT_BPERF_REPAIR_H
#define PSTAT_COUNT_BPERF_REPAIR_H

struct backend_group;
struct bperf_leader;
struct cpumap;
struct strbuf;

/*
 * Makes sure that @leader counts @event of @group, its row @row, on every CPU that is online. Events that are missing there or dead are
 * opened anew, which only a leader of pstat allows. Returns 0; -ENODEV and the reason in @why if a CPU remains without; or -ENOMEM. The
 * caller has the lock.
 */
int bperf_repair__leader(const struct backend_group *group, const struct bperf_leader *leader, int event, int row,
			 struct strbuf *why);

/* The CPUs of @online are online now: see struct counter_backend. What cannot be repaired is warned about. Returns 0 or -errno, logged. */
int bperf_repair__cpus_changed(struct backend_group *group, const struct cpumap *online);

#endif
