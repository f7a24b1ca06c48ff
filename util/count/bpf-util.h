/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for all backends that load BPF programs. */
#ifndef PSTAT_COUNT_BPF_UTIL_H
#define PSTAT_COUNT_BPF_UTIL_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup;
struct cpumap;
struct strbuf;

/* linux/errno.h: internal to the kernel, but BPF's load and attach calls return it to user space */
#define ENOTSUPP 524

/* Sends libbpf's messages to the log: its warnings with -v, everything else with -vv. */
void bpf_util__init(void);
/*
 * Like bpf_util__init() until bpf_util__leave(), for a library in a program that uses libbpf
 * itself. Cannot be nested.
 */
void bpf_util__enter(void);
void bpf_util__leave(void);

/*
 * Can an fentry program be attached to the function @func_btf_id of the BPF program @prog_fd? Loads
 * a program of two instructions and closes it again. Returns 0, or the kernel's -errno with the
 * reason in @why_not: who refused it, and the last line of the verifier's log.
 */
int bpf_util__probe_fentry(int prog_fd, uint32_t func_btf_id, struct strbuf *why_not);

/*
 * Does this kernel have fentry for BPF programs? Like bpf_util__probe_fentry(), for a program of
 * pstat's own.
 */
int bpf_util__probe_trampoline(struct strbuf *why_not);

/*
 * Is fentry refused in general? Loads a program for a function that does not exist, for which the
 * kernel returns EINVAL if it allows fentry. Returns like bpf_util__probe_fentry(), at a fraction
 * of the cost, but 0 does not mean that this architecture supports fentry.
 */
int bpf_util__probe_lockdown(struct strbuf *why_not);

/*
 * May this user open links, programs and maps by id, as shared sessions do? This needs
 * CAP_SYS_ADMIN.
 */
bool bpf_util__may_use_ids(void);

/* Can a program for raw tracepoints be loaded? Returns like bpf_util__probe_fentry(). */
int bpf_util__probe_raw_tp(struct strbuf *why_not);

/*
 * Can a program for the samples of a perf event be loaded? Returns like bpf_util__probe_fentry().
 */
int bpf_util__probe_perf_event(struct strbuf *why_not);
/* Loads a program for samples that does nothing. Returns its fd or -errno. */
int bpf_util__load_perf_event(void);

/*
 * Puts a perf event of CPU @cpu_id into a map of events, [row × nr_cpus + CPU id]. @nr_cpus is the
 * largest possible id + 1. Does nothing if @fd is -1.
 */
int bpf_util__put_event(int map_fd, int row, int nr_cpus, int cpu_id, int fd, const char *name,
			struct strbuf *why);

/*
 * Puts a cgroup into the place @key of a map of cgroups. @option is the option that counts runs,
 * for the message. Returns 0 or -errno.
 */
int bpf_util__put_cgroup(int map_fd, int key, const struct cgroup *cgroup, const char *option,
			 struct strbuf *why);

/*
 * Makes the programs in the section "pstat_tp_btf" of objects that are opened from now on tp_btf
 * programs of the tracepoint whose typedef (btf_trace_NAME) has the id @id in the kernel's BTF. So
 * libbpf need not search for it. Returns 0 or -errno.
 */
int bpf_util__use_tp_btf(uint32_t id);

/*
 * Returns how often the kernel skipped the program @prog_fd because it was running on the CPU
 * already, or 0 if this is unknown.
 */
uint64_t bpf_util__misses_of(int prog_fd);

/* The prefix of the names of programs that pstat loads for tests. */
#define OWN_PROG_PREFIX "pstat_"

/*
 * Runs the raw_tp program @prog_fd, which normally runs at context switches, once on each of
 * @cpus, without a ctx. Its maps then contain counts up to this moment. On other CPUs, it runs in
 * an interrupt. On the CPU of the caller, it runs in a plain call, which the run of another
 * session may interrupt. Only this process runs there then, so only its own slice can lose a
 * count. Moving to another CPU first would take as long as a busy CPU makes a thread wait, about
 * 100 ms, between the time of a reading and the reading. Skips CPUs that are offline. Returns 0 or
 * -errno.
 */
int bpf_util__flush_cpus(int prog_fd, const struct cpumap *cpus);

#endif
