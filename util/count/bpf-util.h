/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for all backends that load BPF programs. */
#ifndef PSTAT_COUNT_BPF_UTIL_H
#define PSTAT_COUNT_BPF_UTIL_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup;
struct cpumap;
struct strbuf;

/* The kernel defines this errno only for its own use, but bpf(2) returns it to user space, too. */
#define ENOTSUPP 524

/*
 * Sends libbpf's messages to the log. With -v, the log shows libbpf's warnings; with -vv, it shows
 * all messages.
 */
void bpf_util__init(void);
/*
 * bpf_util__enter() sends libbpf's messages to the log, and bpf_util__leave() restores the previous
 * message handler. libpstat-self.a calls this pair instead of bpf_util__init(), because the program
 * that contains the library may use libbpf itself. Pairs of calls must not be nested.
 */
void bpf_util__enter(void);
void bpf_util__leave(void);

/*
 * Explains @err, the -errno with which libbpf failed to load a program. Adds the cause to @cause,
 * and advice for the user to @remedy, which may be NULL. If the verifier refused the program, the
 * cause usually includes the reason from the verifier's log.
 */
void bpf_util__explain_load(int err, struct strbuf *cause, struct strbuf *remedy);

/*
 * Stores "@what: CAUSE" in @why, where CAUSE is the text from bpf_util__explain_load() for @err. If
 * @advise is set, adds advice on a second line. Does nothing if @err is 0, or if @why is NULL or
 * already contains a reason. Returns @err.
 */
int bpf_util__store_load(struct strbuf *why, int err, const char *what, bool advise);

/*
 * Probes whether an fentry program can be attached to the function with the BTF id @func_btf_id in
 * the BPF program @prog_fd. Loads a minimal fentry program and unloads it again. Returns 0, or the
 * kernel's -errno with the reason in @why_not.
 */
int bpf_util__probe_fentry(int prog_fd, uint32_t func_btf_id, struct strbuf *why_not);

/*
 * Probes whether this kernel can attach fentry programs to BPF programs. Loads a tiny BPF program
 * as the target. Returns 0, or -errno with the reason in @why_not.
 */
int bpf_util__probe_trampoline(struct strbuf *why_not);

/*
 * Probes whether this kernel refuses all fentry programs. Tries to load an fentry program without a
 * target. A kernel that allows fentry refuses this program too, but with EINVAL. Returns 0 if
 * fentry is allowed, or -errno with the reason in @why_not. This test is much cheaper than
 * bpf_util__probe_fentry(), but a result of 0 does not guarantee that fentry works on this
 * architecture.
 */
int bpf_util__probe_lockdown(struct strbuf *why_not);

/*
 * Returns whether the user may open BPF links, programs and maps by their IDs. This requires
 * CAP_SYS_ADMIN. Sessions open such objects in order to share counters.
 */
bool bpf_util__may_use_ids(void);

/*
 * Loads a program for kprobes and uprobes. The program does nothing. @attach_type is a value of
 * enum bpf_attach_type, possibly one that libbpf does not know yet. Returns the program's fd or
 * -errno.
 */
int bpf_util__load_kprobe(int attach_type);

/*
 * Probes whether this process may load a BPF program for raw tracepoints. Returns 0, or -errno with
 * the reason in @why_not.
 */
int bpf_util__probe_raw_tp(struct strbuf *why_not);

/*
 * Probes whether this process may load a BPF program that runs at the samples of a perf event.
 * Returns 0, or -errno with the reason in @why_not.
 */
int bpf_util__probe_perf_event(struct strbuf *why_not);
/* Loads a program that runs at samples and does nothing. Returns the program's fd or -errno. */
int bpf_util__load_perf_event(void);

/*
 * Stores the perf event @fd of CPU @cpu_id in the map @map_fd, at the key @row × @nr_cpus +
 * @cpu_id. @row is the index of the event among the events in the map. @nr_cpus is the largest
 * possible CPU id + 1. Does nothing if @fd is -1. @name is the name of the event. Returns 0, or
 * -errno with the reason in @why.
 */
int bpf_util__put_event(int map_fd, int row, int nr_cpus, int cpu_id, int fd, const char *name,
			struct strbuf *why);

/*
 * Stores @cgroup at @key in the BPF map @map_fd, which must be a map of cgroups. @option is "-b" or
 * "--scope", and is used in the error message. Returns 0, or -errno with the reason in @why.
 */
int bpf_util__put_cgroup(int map_fd, int key, const struct cgroup *cgroup, const char *option,
			 struct strbuf *why);

/*
 * Makes libbpf load all programs in the section "pstat_tp_btf" as tp_btf programs for one
 * tracepoint. Affects only objects that are opened later. @id is the id of the tracepoint's
 * typedef, btf_trace_NAME, in the kernel's BTF. The caller passes the id, because libbpf would need
 * a long time to find it. Returns 0 or -errno.
 */
int bpf_util__use_tp_btf(uint32_t id);

/*
 * Returns how many times the kernel has skipped the program @prog_fd because the program was
 * already running on the same CPU. Returns 0 if the number is unknown.
 */
uint64_t bpf_util__misses_of(int prog_fd);

/*
 * Waits until all BPF programs that are running now, except sleepable programs, have ended. Returns
 * 0 or -errno.
 */
int bpf_util__wait_for_programs(void);

/*
 * The prefix of the names of some of pstat's BPF programs, such as those that only test what the
 * kernel supports. Patterns of -b skip programs with this prefix.
 */
#define OWN_PROG_PREFIX "pstat_"

/*
 * Runs the BPF program @prog_fd once on each CPU of @cpus. @prog_fd must be a raw_tp program that
 * usually runs at context switches. Each run adds the counts since the previous run on the same CPU
 * to the totals in the program's maps. After this call, the maps contain everything that was
 * counted before the call. In the runs that this function starts, the ctx of the program is NULL.
 * Skips CPUs that are offline. Returns 0 or -errno.
 *
 * On all CPUs except the caller's, the program runs in an interrupt. On the caller's CPU, a context
 * switch can interrupt the run. If this happens, only counts of pstat itself can be lost, because
 * only pstat is running on this CPU. It would be slower to move the calling thread to each CPU and
 * run the program there, because the thread may have to wait about 100 ms until a busy CPU runs it.
 */
int bpf_util__flush_cpus(int prog_fd, const struct cpumap *cpus);

#endif
