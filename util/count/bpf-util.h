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
 * Sends libbpf's messages to the log, until bpf_util__leave() restores the previous handler of
 * messages. libpstat-self.a calls these functions instead of bpf_util__init(), because the program
 * that contains the library may use libbpf itself. Calls cannot be nested.
 */
void bpf_util__enter(void);
void bpf_util__leave(void);

/*
 * Explains why libbpf failed to load a program with the -errno @err. Adds the cause to @cause. Adds
 * advice for the user to @remedy, which may be NULL. If the verifier refused the program, the cause
 * includes the last lines of the verifier's log.
 */
void bpf_util__explain_load(int err, struct strbuf *cause, struct strbuf *remedy);

/*
 * Stores "@what: CAUSE" in @why, where CAUSE is the text from bpf_util__explain_load() for @err. If
 * @advise is set, adds advice on a second line. Does nothing if @err is 0. Returns @err.
 */
int bpf_util__store_load(struct strbuf *why, int err, const char *what, bool advise);

/*
 * Probes whether an fentry program can be attached to the function @func_btf_id of the BPF program
 * @prog_fd. Loads an fentry program of two instructions for the test, and unloads it. Returns 0, or
 * the kernel's -errno with the reason in @why_not.
 */
int bpf_util__probe_fentry(int prog_fd, uint32_t func_btf_id, struct strbuf *why_not);

/*
 * Probes whether fentry programs can be attached to BPF programs on this kernel. Loads a BPF
 * program for the test. Returns 0, or -errno with the reason in @why_not.
 */
int bpf_util__probe_trampoline(struct strbuf *why_not);

/*
 * Probes whether this kernel refuses all fentry programs. Tries to load an fentry program without a
 * target; a kernel that allows fentry refuses this program with EINVAL. Returns 0, or -errno with
 * the reason in @why_not. This test is much cheaper than bpf_util__probe_fentry(), but the result 0
 * does not guarantee that fentry works on this architecture.
 */
int bpf_util__probe_lockdown(struct strbuf *why_not);

/*
 * Returns whether the user may open BPF links, programs and maps by their IDs, which requires
 * CAP_SYS_ADMIN. Sessions need these IDs to share counters.
 */
bool bpf_util__may_use_ids(void);

/*
 * Loads a program for kprobes and uprobes that does nothing. @attach_type is a value of enum
 * bpf_attach_type, and may be newer than libbpf. Returns the program's fd or -errno.
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
 * Stores @cgroup at @key in the BPF map @map_fd, a map of cgroups. Returns 0, or -errno with the
 * reason in @why. The reason begins with @option, which is the option that counts runs ("-b" or
 * "--scope").
 */
int bpf_util__put_cgroup(int map_fd, int key, const struct cgroup *cgroup, const char *option,
			 struct strbuf *why);

/*
 * Makes libbpf load all programs in sections "pstat_tp_btf" as tp_btf programs for one tracepoint.
 * Affects objects that are opened later. @id is the BTF id of the tracepoint's typedef,
 * btf_trace_NAME, in the kernel's BTF. libbpf would need a long time to find this id itself.
 * Returns 0 or -errno.
 */
int bpf_util__use_tp_btf(uint32_t id);

/*
 * Returns how many times the kernel skipped the program @prog_fd because the program was already
 * running on the CPU. Returns 0 if the number is unknown.
 */
uint64_t bpf_util__misses_of(int prog_fd);

/*
 * Waits until all runs of BPF programs that have already begun have ended. Does not wait for
 * sleepable programs. Returns 0 or -errno.
 */
int bpf_util__wait_for_programs(void);

/* The prefix of the names of programs that pstat loads as probes. */
#define OWN_PROG_PREFIX "pstat_"

/*
 * Runs @prog_fd, a raw_tp program that reads counters at context switches, once on each CPU of
 * @cpus, without a ctx. The program's maps then contain all counts up to this moment. Skips CPUs
 * that are offline. Returns 0 or -errno.
 *
 * On other CPUs, the program runs in an interrupt. On the caller's CPU, a context switch can
 * interrupt the run, but only counts of pstat itself can then be lost. The calling thread does not
 * move to the other CPUs, because the thread could have to wait about 100 ms for a busy CPU, and
 * the reading would be late.
 */
int bpf_util__flush_cpus(int prog_fd, const struct cpumap *cpus);

#endif
