/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for all backends that load BPF programs. */
#ifndef PSTAT_COUNT_BPF_UTIL_H
#define PSTAT_COUNT_BPF_UTIL_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup;
struct cpumap;
struct strbuf;

/* Internal to the kernel, but BPF's load and attach calls also return it to user space. */
#define ENOTSUPP 524

/* Sends libbpf's messages to the log: its warnings with -v, everything else with -vv. */
void bpf_util__init(void);
/*
 * Does the same as bpf_util__init() until bpf_util__leave(). Needed by a library whose program may
 * use libbpf itself. Calls cannot be nested.
 */
void bpf_util__enter(void);
void bpf_util__leave(void);

/*
 * Adds the cause of @err, the error with which libbpf could not load a program, to @cause, and the
 * advice to @remedy, which may be NULL. If the verifier refused it, the cause contains the last
 * lines of its log.
 */
void bpf_util__explain_load(int err, struct strbuf *cause, struct strbuf *remedy);

/*
 * Stores "WHAT: CAUSE" as the reason for @err, unless it is 0, and the advice on a second line if
 * @advise is set. Returns @err.
 */
int bpf_util__store_load(struct strbuf *why, int err, const char *what, bool advise);

/*
 * Can an fentry program be attached to the function @func_btf_id of the BPF program @prog_fd? Loads
 * a program of two instructions to find out, and closes it again. Returns 0, or the kernel's -errno
 * with the reason in @why_not: the step that failed, and the last line of the verifier's log.
 */
int bpf_util__probe_fentry(int prog_fd, uint32_t func_btf_id, struct strbuf *why_not);

/*
 * Does this kernel support fentry for BPF programs? Like bpf_util__probe_fentry(), but for a
 * program that this function loads itself.
 */
int bpf_util__probe_trampoline(struct strbuf *why_not);

/*
 * Does this kernel refuse all fentry programs? Loads a program for a function that does not exist.
 * If the kernel allows fentry, it returns EINVAL. The result is like that of
 * bpf_util__probe_fentry(), but the check costs much less. A result of 0 does not mean that this
 * architecture supports fentry.
 */
int bpf_util__probe_lockdown(struct strbuf *why_not);

/*
 * May this user open links, programs and maps by their IDs? Sessions that share counters do so. It
 * needs CAP_SYS_ADMIN.
 */
bool bpf_util__may_use_ids(void);

/*
 * Loads a program for kprobes and uprobes that does nothing. @attach_type is an enum
 * bpf_attach_type, and may be one that libbpf does not know. Returns its fd or -errno.
 */
int bpf_util__load_kprobe(int attach_type);

/* Can a program for raw tracepoints be loaded? Returns 0, or -errno with the reason in @why_not. */
int bpf_util__probe_raw_tp(struct strbuf *why_not);

/*
 * Can a program for the samples of a perf event be loaded? Returns 0, or -errno with the reason in
 * @why_not.
 */
int bpf_util__probe_perf_event(struct strbuf *why_not);
/* Loads a program for samples. The program does nothing. Returns its fd or -errno. */
int bpf_util__load_perf_event(void);

/*
 * Puts a perf event of CPU @cpu_id into the map @map_fd, at [row × nr_cpus + CPU id]. @nr_cpus is
 * the largest possible CPU id + 1. Does nothing if @fd is -1.
 */
int bpf_util__put_event(int map_fd, int row, int nr_cpus, int cpu_id, int fd, const char *name,
			struct strbuf *why);

/*
 * Puts a cgroup into a map of cgroups, at @key. @option is the option that counts runs; messages
 * name it. Returns 0 or -errno.
 */
int bpf_util__put_cgroup(int map_fd, int key, const struct cgroup *cgroup, const char *option,
			 struct strbuf *why);

/*
 * Objects that are opened from now on can have programs in the section "pstat_tp_btf". This makes
 * them tp_btf programs of the tracepoint whose typedef (btf_trace_NAME) has the id @id in the
 * kernel's BTF, so libbpf does not search for this id. Returns 0 or -errno.
 */
int bpf_util__use_tp_btf(uint32_t id);

/*
 * Returns the number of times that the kernel skipped the program @prog_fd because the program was
 * already running on the CPU. Returns 0 if this is unknown.
 */
uint64_t bpf_util__misses_of(int prog_fd);

/*
 * Waits until all BPF programs that run now have ended, except programs that can sleep. Returns 0
 * or -errno.
 */
int bpf_util__wait_for_programs(void);

/* The prefix of the names of programs that pstat loads for tests. */
#define OWN_PROG_PREFIX "pstat_"

/*
 * Runs the raw_tp program @prog_fd, which normally runs at context switches, once on each of @cpus,
 * without a ctx. Its maps then contain counts up to this moment. On other CPUs, it runs in an
 * interrupt. On the CPU of the caller, it runs in a plain call, which a context switch to a program
 * of another session may interrupt. This can only lose counts of this process, because no other
 * process runs on this CPU during the call. The function does not move to another CPU first,
 * because a thread may have to wait about 100 ms for a busy CPU, which would delay the reading.
 * Skips CPUs that are offline. Returns 0 or -errno.
 */
int bpf_util__flush_cpus(int prog_fd, const struct cpumap *cpus);

#endif
