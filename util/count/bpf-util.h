/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for all backends that load BPF programs. */
#ifndef PSTAT_COUNT_BPF_UTIL_H
#define PSTAT_COUNT_BPF_UTIL_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup;
struct cpumap;
struct strbuf;

/* An errno that is internal to the kernel. bpf(2) nevertheless returns it to user space. */
#define ENOTSUPP 524

/* Sends libbpf's messages to the log: its warnings with -v, everything else with -vv. */
void bpf_util__init(void);
/*
 * Does the same as bpf_util__init(), until bpf_util__leave() restores the previous handler. Used by
 * libpstat-self.a, because a program may use libbpf itself. Calls cannot be nested.
 */
void bpf_util__enter(void);
void bpf_util__leave(void);

/*
 * Explains @err, with which libbpf failed to load a program. Adds the cause to @cause, and advice
 * to @remedy, which may be NULL. If the verifier refused the program, the cause includes the last
 * lines of the verifier's log.
 */
void bpf_util__explain_load(int err, struct strbuf *cause, struct strbuf *remedy);

/*
 * Stores "WHAT: CAUSE" as the reason for @err, with advice on a second line if @advise is set.
 * CAUSE is from bpf_util__explain_load(). Does nothing if @err is 0. Returns @err.
 */
int bpf_util__store_load(struct strbuf *why, int err, const char *what, bool advise);

/*
 * Probes whether an fentry program can be attached to the function @func_btf_id of the BPF program
 * @prog_fd. Loads a program of two instructions and closes it again. Returns 0, or the kernel's
 * -errno with the reason in @why_not.
 */
int bpf_util__probe_fentry(int prog_fd, uint32_t func_btf_id, struct strbuf *why_not);

/*
 * Probes whether this kernel supports fentry for BPF programs. Like bpf_util__probe_fentry(), but
 * for a program that this function loads itself.
 */
int bpf_util__probe_trampoline(struct strbuf *why_not);

/*
 * Probes whether this kernel refuses all fentry programs. Loads an fentry program without a target:
 * a kernel that allows fentry returns EINVAL. Returns 0, or -errno with the reason in @why_not.
 * Much cheaper than bpf_util__probe_fentry(), but 0 does not mean that this architecture supports
 * fentry.
 */
int bpf_util__probe_lockdown(struct strbuf *why_not);

/*
 * Returns whether the user may open BPF links, programs and maps by their IDs. This needs
 * CAP_SYS_ADMIN, and so does sharing counters.
 */
bool bpf_util__may_use_ids(void);

/*
 * Loads a program for kprobes and uprobes that does nothing. @attach_type is an enum
 * bpf_attach_type, which libbpf need not know. Returns the program's fd or -errno.
 */
int bpf_util__load_kprobe(int attach_type);

/*
 * Probes whether a program for raw tracepoints can be loaded. Returns 0, or -errno with the reason
 * in @why_not.
 */
int bpf_util__probe_raw_tp(struct strbuf *why_not);

/*
 * Probes whether a program for the samples of a perf event can be loaded. Returns 0, or -errno with
 * the reason in @why_not.
 */
int bpf_util__probe_perf_event(struct strbuf *why_not);
/* Loads a program for samples that does nothing. Returns the program's fd or -errno. */
int bpf_util__load_perf_event(void);

/*
 * Stores the perf event @fd of CPU @cpu_id in the map @map_fd, at key @row × @nr_cpus + @cpu_id.
 * @nr_cpus is the largest possible CPU id + 1. Does nothing if @fd is -1. Returns 0, or -errno with
 * a reason in @why that names the event @name.
 */
int bpf_util__put_event(int map_fd, int row, int nr_cpus, int cpu_id, int fd, const char *name,
			struct strbuf *why);

/*
 * Stores a cgroup in a map of cgroups, at @key. Returns 0, or -errno with a reason in @why that
 * names @option, the option that counts runs.
 */
int bpf_util__put_cgroup(int map_fd, int key, const struct cgroup *cgroup, const char *option,
			 struct strbuf *why);

/*
 * Makes libbpf load programs in the section "pstat_tp_btf" as tp_btf programs, in objects that are
 * opened later. @id identifies the tracepoint: it is the kernel's BTF id of the typedef
 * btf_trace_NAME. So libbpf need not search for the id, which is slow. Returns 0 or -errno.
 */
int bpf_util__use_tp_btf(uint32_t id);

/*
 * Returns how many times the kernel skipped the program @prog_fd because the program was already
 * running on the CPU. Returns 0 if the number is unknown.
 */
uint64_t bpf_util__misses_of(int prog_fd);

/*
 * Waits until all current runs of BPF programs have ended, except runs of sleepable programs.
 * Returns 0 or -errno.
 */
int bpf_util__wait_for_programs(void);

/* The prefix of the names of programs that pstat loads as probes. */
#define OWN_PROG_PREFIX "pstat_"

/*
 * Runs the raw_tp program @prog_fd, which normally runs at context switches, once on each of @cpus,
 * without a ctx. The maps of the program then contain counts up to this moment. Skips CPUs that are
 * offline. Returns 0 or -errno.
 *
 * On other CPUs, the program runs in an interrupt. On the caller's CPU, a context switch can
 * interrupt the run, but this can only lose counts of this process. The caller does not move to the
 * other CPUs, because it could wait about 100 ms for a busy CPU, which would delay the reading.
 */
int bpf_util__flush_cpus(int prog_fd, const struct cpumap *cpus);

#endif
