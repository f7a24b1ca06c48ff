/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a session count on all CPUs that are online: finds the events that no longer count and
 * replaces them. Several sessions can follow one leader. Each repairs the events that it uses,
 * under the lock that also protects the making of leaders. A session finds nothing left to do where
 * another session was faster.
 */
#ifndef PSTAT_COUNT_BPERF_REPAIR_H
#define PSTAT_COUNT_BPERF_REPAIR_H

struct backend_group;
struct bperf_leader;
struct cpumap;
struct strbuf;

/*
 * Makes sure that @leader counts @event of @group, which is its row @row, on every online CPU.
 * Opens events again where they are missing or dead. Only a leader of pstat can be repaired in this
 * way. Returns 0; -ENODEV and the reason in @why if the event is not counted on some CPU; or
 * -ENOMEM. The caller holds the lock.
 */
int bperf_repair__leader(const struct backend_group *group, struct bperf_leader *leader, int event,
			 int row, struct strbuf *why);

/*
 * Implements cpus_changed of struct counter_backend: the CPUs of @online are online now. pstat
 * warns of events that it cannot repair.
 */
int bperf_repair__cpus_changed(struct backend_group *group, const struct cpumap *online);

#endif
